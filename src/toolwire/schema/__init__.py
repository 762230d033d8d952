"""A JSON Schema judged while the document streams: what is certain, as soon as it is certain, and never before.

Theory of operation. A document that is still being written stands for all its continuations. A schema is judged
against it in three values: TRUE if every continuation is valid, FALSE if none is, OPEN otherwise; and, once the
judged value is closed, UNKNOWN if a keyword can't be judged here. Two theorems hold for it, and tests hold it to them:

1. What is reported is so: whatever comes, the final validator refuses the document.
2. An invalid document is reported no later than at the close of the value that is wrong, provided that only keywords
   decide it which `KEYWORDS` lists.

`compile_schema` makes nodes of the schema, once, and each part of it when it is first needed. A `Judge` follows the
path changes of one document with a stack of frames, one for each value that is open. What is to be seen to in a frame
is a list of parts, each a keyword of a node that applies to the value. A part that is decided drops out.

Parts belong to a branch. Whatever must hold together is one branch, however deep in the document or the schema: the
first part that fails fails the branch, and the branch is TRUE when its last part is settled. The root is a branch that
outlives its failures: each is reported. `anyOf`, `oneOf`, `not`, `if`, `contains` and `dependentSchemas` are parts
that own further branches and decide by what becomes of those.

Verdicts on whole scalars come from the final validator itself, asked about one keyword at a time (`oracle`).
"""

from __future__ import annotations

from toolwire.schema.compile import Compiled, compile_schema
from toolwire.schema.judge import Judge
from toolwire.schema.keywords import KEYWORDS
from toolwire.schema.values import Violation

__all__ = ["KEYWORDS", "Compiled", "Judge", "Violation", "compile_schema"]
