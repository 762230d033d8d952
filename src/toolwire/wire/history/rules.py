"""What providers take as the id of a call, as the name of a tool, and for arguments that are no object.

Where each rule is from:

* Anthropic: the API's errors. Ids match `^[a-zA-Z0-9_-]+$` ("tool_use.id: String should match pattern", e.g.
  github.com/maximhq/bifrost/issues/5097), names `^[a-zA-Z0-9_-]{1,128}$` (`tools.0.custom.name`; once 64).
* Bedrock Converse: the service model in botocore 1.44 (`bedrock-runtime/2023-09-30`), ToolUseId and ToolName.
* Cohere: the API's error, "tool names can only contain certain characters (A-Za-z0-9_) and can't begin with a digit".
  No rule for ids is known.
* Gemini: google-genai 3.6, `FunctionDeclaration.name`: 128 characters (the API's error has said 64). Ids are given back
  only where Gemini sent one.
* Mistral: mistral-common, `MistralRequestValidatorV3`: ids `^[a-zA-Z0-9]{9}$`, names `^[a-zA-Z0-9_-]{1,64}$`; the same
  in the API's error, code 3280.
* Ollama: names and ids are any text.
* OpenAI Chat: names as openai 3.57 has them (`FunctionDefinition.name`: at most 64), ids at most 40 characters
  ("messages[2].tool_calls[0].id: string too long", e.g. github.com/vercel/ai/issues/8132).
* OpenAI Responses: `call_id` at most 64 characters, and 128 for names ("input[5].call_id", "input[565].name: string too
  long", e.g. github.com/decolua/9router/issues/393).
* Arguments that are no JSON object go back as `{"INVALID_JSON": text}`, in Anthropic's words ("Fine-grained tool
  streaming", platform.claude.com/docs). It is an object, so every provider takes it.
"""

from __future__ import annotations

import re
import string
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["BROKEN", "IDS", "NAMES", "Rule"]

BROKEN = "INVALID_JSON"

_ALPHANUMERIC = string.digits + string.ascii_letters
_MARK = 10  # hexadecimal digits that tell apart what would else be made equal


@dataclass(frozen=True, slots=True)
class Rule:
    """Which characters a text may have, at the beginning and at all, and how many of them.

    `chars` and `first` are insides of a regex's brackets, "" for any. `exact`: no more and no fewer than `longest`.
    """

    chars: str = ""
    longest: int | None = None
    first: str = ""
    exact: bool = False

    def takes(self, text: str) -> bool:
        """Whether a text is good as it is."""
        if self.longest is not None and (len(text) > self.longest or (self.exact and len(text) < self.longest)):
            return False
        if self.first and not re.match(f"[{self.first}]", text):
            return False
        return bool(text) and (not self.chars or re.fullmatch(f"[{self.chars}]+", text) is not None)

    def fit(self, text: str, salt: int = 0) -> str:
        """The text itself if it is good, else one that is, and that depends on all of it (and on `salt`)."""
        if self.takes(text) and not salt:
            return text
        digest = sha256((f"{salt} {text}" if salt else text).encode("utf-8", "surrogatepass"))
        if self.exact and self.longest is not None:
            number = int.from_bytes(digest.digest())
            return "".join(_ALPHANUMERIC[number // 62**place % 62] for place in range(self.longest))
        head = re.sub(f"[^{self.chars}]", "_", text) if self.chars else text
        if self.first and not re.match(f"[{self.first}]", head):
            head = f"_{head}"
        if self.longest is not None:
            head = head[: self.longest - _MARK - 1]
        return f"{head}_{digest.hexdigest()[:_MARK]}"

    def fit_all(self, texts: Iterable[str]) -> dict[str, str]:
        """What each of some different texts becomes: different again."""
        texts = list(texts)
        fitted = {text: text for text in texts if self.takes(text)}
        taken = set(fitted)
        for text in texts:
            salt = 0
            while text not in fitted:
                found = self.fit(text, salt)
                if found not in taken:
                    fitted[text] = found
                    taken.add(found)
                salt += 1
        return fitted


_WORD = "a-zA-Z0-9_-"
_ANY = Rule()

IDS: dict[str, Rule] = {
    "anthropic": Rule(_WORD),
    "bedrock-converse": Rule("a-zA-Z0-9_.:-", 64),
    "bedrock-invoke": Rule(_WORD),
    "cohere": _ANY,
    "gemini": _ANY,
    "mistral": Rule("a-zA-Z0-9", 9, exact=True),
    "ollama": _ANY,
    "openai-chat": Rule("", 40),
    "openai-responses": Rule("", 64),
}

NAMES: dict[str, Rule] = {
    "anthropic": Rule(_WORD, 128),
    "bedrock-converse": Rule(_WORD, 64),
    "bedrock-invoke": Rule(_WORD, 128),
    "cohere": Rule("a-zA-Z0-9_", first="a-zA-Z_"),
    "gemini": Rule("a-zA-Z0-9_.:-", 128, first="a-zA-Z_"),
    "mistral": Rule(_WORD, 64),
    "ollama": _ANY,
    "openai-chat": Rule(_WORD, 64),
    "openai-responses": Rule(_WORD, 128),
}
