"""The documents as types: Pydantic models, and TypedDicts for those who take no models."""

from __future__ import annotations

from pydantic import BaseModel
from typing_extensions import TypedDict

__all__ = ["DICTS", "MODELS"]


class Search(BaseModel):
    query: str
    max_results: int
    site: str
    language: str
    safe: bool


class Option(BaseModel):
    value: int
    text: str


class Field(BaseModel):
    id: str
    type: str
    label: str
    required: bool
    weight: float
    options: list[Option]
    help: str | None


class Form(BaseModel):
    title: str
    version: int
    fields: list[Field]


class Intake(BaseModel):
    form: Form
    submit: str


class File(BaseModel):
    path: str
    content: str


class Row(BaseModel):
    id: int
    name: str
    email: str
    score: float
    active: bool


class Rows(BaseModel):
    rows: list[Row]


class SearchDict(TypedDict, total=False):
    query: str
    max_results: int
    site: str
    language: str
    safe: bool


class OptionDict(TypedDict, total=False):
    value: int
    text: str


class FieldDict(TypedDict, total=False):
    id: str
    type: str
    label: str
    required: bool
    weight: float
    options: list[OptionDict]
    help: str | None


class FormDict(TypedDict, total=False):
    title: str
    version: int
    fields: list[FieldDict]


class IntakeDict(TypedDict, total=False):
    form: FormDict
    submit: str


class FileDict(TypedDict, total=False):
    path: str
    content: str


class RowDict(TypedDict, total=False):
    id: int
    name: str
    email: str
    score: float
    active: bool


class RowsDict(TypedDict, total=False):
    rows: list[RowDict]


MODELS: dict[str, type[BaseModel]] = {
    "search call": Search,
    "nested form": Intake,
    "file 20 KB": File,
    "file 200 KB": File,
    "500 rows": Rows,
}
DICTS: dict[str, type] = {
    "search call": SearchDict,
    "nested form": IntakeDict,
    "file 20 KB": FileDict,
    "file 200 KB": FileDict,
    "500 rows": RowsDict,
}
