"""Texts that read like what they are for: by a property's format, its name and what its description says."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from uuid import UUID

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

__all__ = ["FORMATS", "fitted", "key", "made_up", "usual"]

_FIRST: Final = ("Ada", "Ben", "Carmen", "Dmitri", "Elif", "Femi", "Grace", "Hana", "Iris", "José", "Kofi", "Zoë")
_LAST: Final = ("Almeida", "Brandt", "Chen", "Diallo", "Eriksen", "Fischer", "Garcia", "Novak", "Okafor", "Sato")
_CITIES: Final = (
    *("Berlin", "Boston", "Cairo", "Lagos", "Lima", "Lisbon", "Mumbai", "Nairobi", "Oslo", "Paris", "Prague"),
    *("San Francisco", "São Paulo", "Seoul", "Tokyo", "Toronto", "Zürich"),
)
_PLACES: Final = ("Austin, TX", "Berkeley, CA", "Boston, MA", "Chicago, IL", "Denver, CO", "Portland, OR")
_COUNTRIES: Final = ("Brazil", "Canada", "France", "Germany", "India", "Japan", "Kenya", "Norway", "Peru", "Spain")
_STREETS: Final = ("Elm Street", "Harbour Road", "High Street", "Mill Lane", "Oak Avenue", "Station Road")
_COMPANIES: Final = ("Acorn Foods", "Blue Harbor", "Copperfield Ltd", "Globex", "Northwind", "Umbra Systems")
_LANGUAGES: Final = ("English", "French", "German", "Hindi", "Japanese", "Portuguese", "Spanish")
_CURRENCIES: Final = ("BRL", "CHF", "EUR", "GBP", "INR", "JPY", "USD")
_AIRPORTS: Final = ("AMS", "CDG", "GRU", "HND", "JFK", "LHR", "NBO", "SFO", "ZRH")
_COLORS: Final = ("amber", "blue", "crimson", "green", "grey", "ivory", "teal", "violet")
_FOODS: Final = ("basil", "chickpeas", "lentil soup", "mushrooms", "pasta", "ramen", "rice", "tomatoes")
_CUISINES: Final = ("Ethiopian", "Indian", "Italian", "Japanese", "Mexican", "Thai")
_GENRES: Final = ("ambient", "comedy", "drama", "folk", "jazz", "mystery", "rock", "thriller")
_TITLES: Final = ("Harbour Lights", "Paper Moons", "The Glass Orchard", "The Long Tide", "Winter Signals")
_ZONES: Final = ("America/New_York", "Asia/Tokyo", "Europe/Berlin", "Europe/Lisbon", "UTC")
_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_UNITS: Final = ("celsius", "kilometers", "kilograms", "meters", "miles", "pounds")
_FILES: Final = ("config.yaml", "data.csv", "index.html", "notes.md", "report.pdf", "summary.txt")
_TYPES: Final = ("application/json", "image/png", "text/html", "text/plain")
_WORDS: Final = (
    *("amber", "anchor", "basket", "bridge", "candle", "cedar", "cloud", "copper", "crystal", "delta", "ember"),
    *("falcon", "field", "forest", "garden", "harbor", "hazel", "island", "lantern", "maple", "marble", "meadow"),
    *("mirror", "orchard", "paper", "pebble", "quartz", "rain", "river", "signal", "silver", "spring", "stone"),
    *("summit", "thread", "timber", "valley", "velvet", "violet", "willow", "window", "winter"),
)
_SAID: Final = re.compile(
    r"""(?:e\.g\.|such as|for example|for instance)[,:]? {0,2}(['"`])([^'"`\n]{1,60})\1""", re.IGNORECASE
)
_LAYOUTS: Final = tuple(
    (re.compile(form, re.IGNORECASE), make)
    for form, make in (
        ("YYYY-MM-DD[T ]HH:MM:SS", lambda rng: _date(rng, "{y}-{m:02}-{d:02}T") + _clock(rng, ":00")),
        ("YYYY-MM-DD", lambda rng: _date(rng)),
        ("MM/DD/YYYY", lambda rng: _date(rng, "{m:02}/{d:02}/{y}")),
        ("DD/MM/YYYY", lambda rng: _date(rng, "{d:02}/{m:02}/{y}")),
        ("MM-DD-YYYY", lambda rng: _date(rng, "{m:02}-{d:02}-{y}")),
        ("DD-MM-YYYY", lambda rng: _date(rng, "{d:02}-{m:02}-{y}")),
        ("YYYY-MM(?!-)", lambda rng: _date(rng, "{y}-{m:02}")),
        ("ISO.?8601 (?:date-?time|timestamp)|timestamp", lambda rng: _moment(rng)),
        ("ISO.?8601", lambda rng: _date(rng)),
        ("HH:MM:SS", lambda rng: _clock(rng, ":00")),
        ("HH:MM", lambda rng: _clock(rng)),
        ("City, State", lambda rng: rng.choice(_PLACES)),
        ("City, Country", lambda rng: f"{rng.choice(_CITIES)}, {rng.choice(_COUNTRIES)}"),
        ("e-?mail address", lambda rng: _email(rng)),
        (r"\bURL\b", lambda rng: _url(rng)),
        (r"\bUUID\b", lambda rng: _uuid(rng)),
    )
)


def _words(rng: Random, least: int, most: int) -> str:
    return " ".join(rng.choices(_WORDS, k=rng.randint(least, most)))


def _slug(rng: Random) -> str:
    return "-".join(rng.sample(_WORDS, 2))


def _sentence(rng: Random) -> str:
    return _words(rng, 4, 9).capitalize() + "."


def _date(rng: Random, form: str = "{y}-{m:02}-{d:02}") -> str:
    return form.format(y=rng.randint(2024, 2027), m=rng.randint(1, 12), d=rng.randint(1, 28))


def _clock(rng: Random, tail: str = "") -> str:
    return f"{rng.randint(7, 21):02}:{rng.choice((0, 15, 30, 45)):02}{tail}"


def _moment(rng: Random) -> str:
    return _date(rng) + "T" + _clock(rng, ":00Z")


def _handle(rng: Random) -> str:
    return rng.choice(_FIRST[:9]).lower() + "." + rng.choice(_LAST).lower()


def _email(rng: Random) -> str:
    return f"{_handle(rng)}@example.{rng.choice(('com', 'net', 'org'))}"


def _host(rng: Random) -> str:
    return rng.choice(_WORDS) + ".example.com"


def _url(rng: Random) -> str:
    return f"https://{_host(rng)}/{_slug(rng)}"


def _uuid(rng: Random) -> str:
    return str(UUID(int=rng.getrandbits(128), version=4))


def _hex(rng: Random, digits: int) -> str:
    return f"{rng.getrandbits(4 * digits):0{digits}x}"


def _ipv4(rng: Random) -> str:
    return f"192.0.2.{rng.randint(1, 254)}"


def _ipv6(rng: Random) -> str:
    return f"2001:db8::{rng.randint(1, 0xFFFF):x}"


def _pick(*texts: str) -> Callable[[Random], str]:
    return lambda rng: rng.choice(texts)


FORMATS: Final[dict[str, Callable[[Random], str]]] = {
    "date": _date,
    "time": lambda rng: _clock(rng, ":00Z"),
    "date-time": _moment,
    "duration": lambda rng: f"P{rng.randint(1, 9)}DT{rng.randint(1, 9)}H",
    **dict.fromkeys(("email", "idn-email"), _email),
    **dict.fromkeys(("hostname", "idn-hostname"), _host),
    **dict.fromkeys(("uri", "url", "iri"), _url),
    **dict.fromkeys(("uri-reference", "iri-reference"), lambda rng: "/" + _slug(rng)),
    "uri-template": lambda rng: f"https://{_host(rng)}/{{id}}",
    "ipv4": _ipv4,
    "ipv6": _ipv6,
    "uuid": _uuid,
    "json-pointer": lambda rng: f"/{rng.choice(_WORDS)}/{rng.randint(0, 9)}",
    "relative-json-pointer": lambda rng: f"{rng.randint(0, 3)}/{rng.choice(_WORDS)}",
    "regex": lambda rng: f"^{rng.choice(_WORDS)}-[0-9]+$",
    "byte": _pick("YW1iZXI=", "c2lsdmVy", "dmlvbGV0", "d2lsbG93"),
}

# By a word of the property's name; the last word that is here counts.
_NAMES: Final[dict[str, Callable[[Random], str]]] = {
    **dict.fromkeys(("city", "town", "destination", "origin", "from", "to"), _pick(*_CITIES)),
    **dict.fromkeys(("location", "loc", "place"), _pick(*_PLACES, *_CITIES)),
    **dict.fromkeys(("country", "nationality"), _pick(*_COUNTRIES)),
    **dict.fromkeys(("address", "street"), lambda rng: f"{rng.randint(1, 250)} {rng.choice(_STREETS)}"),
    **dict.fromkeys(("airport",), _pick(*_AIRPORTS)),
    **dict.fromkeys(("date", "day"), _date),
    **dict.fromkeys(("datetime", "timestamp", "since", "until"), _moment),
    "time": _clock,
    "weekday": _pick(*_DAYS),
    "timezone": _pick(*_ZONES),
    **dict.fromkeys(("email", "cc", "bcc"), _email),
    **dict.fromkeys(("url", "uri", "link", "website", "webhook"), _url),
    **dict.fromkeys(("host", "hostname", "domain"), _host),
    "ip": _ipv4,
    "uuid": _uuid,
    **dict.fromkeys(("sha", "hash", "commit"), lambda rng: _hex(rng, 40)),
    **dict.fromkeys(("token", "key", "secret"), lambda rng: _hex(rng, 24)),
    "password": lambda rng: f"{rng.choice(_WORDS)}-{rng.choice(_WORDS)}-{rng.randint(10, 99)}",
    **dict.fromkeys(
        ("id", "ids", "code", "sku", "number"), lambda rng: f"{rng.choice(_WORDS)}-{rng.randint(100, 9999)}"
    ),
    **dict.fromkeys(("phone", "mobile"), lambda rng: f"+1-555-{rng.randint(100, 199):04}"),
    **dict.fromkeys(
        ("name", "author", "artist", "cast", "director", "directed", "person", "player", "receiver", "recipient"),
        lambda rng: f"{rng.choice(_FIRST)} {rng.choice(_LAST)}",
    ),
    **dict.fromkeys(("firstname", "nickname"), _pick(*_FIRST)),
    **dict.fromkeys(("lastname", "surname"), _pick(*_LAST)),
    **dict.fromkeys(("user", "username", "owner", "login", "assignee"), _handle),
    **dict.fromkeys(("company", "organization", "org", "brand", "vendor"), _pick(*_COMPANIES)),
    **dict.fromkeys(("repo", "repository", "branch", "slug", "project", "database", "table"), _slug),
    **dict.fromkeys(("language", "lang"), _pick(*_LANGUAGES)),
    "currency": _pick(*_CURRENCIES),
    **dict.fromkeys(("color", "colour"), _pick(*_COLORS)),
    **dict.fromkeys(("ingredient", "ingredients", "food", "dish"), _pick(*_FOODS)),
    "cuisine": _pick(*_CUISINES),
    **dict.fromkeys(("genre", "category"), _pick(*_GENRES)),
    **dict.fromkeys(("title", "movie", "book", "album", "song"), _pick(*_TITLES)),
    **dict.fromkeys(("unit", "units"), _pick(*_UNITS)),
    **dict.fromkeys(("file", "filename", "attachment"), _pick(*_FILES)),
    **dict.fromkeys(("path", "dir", "directory", "folder"), lambda rng: f"{_slug(rng)}/{rng.choice(_FILES)}"),
    "mime": _pick(*_TYPES),
    "version": lambda rng: f"{rng.randint(0, 9)}.{rng.randint(0, 20)}.{rng.randint(0, 9)}",
    **dict.fromkeys(("query", "q", "keyword", "keywords", "search", "topic", "subject"), lambda rng: _words(rng, 2, 3)),
    **dict.fromkeys(
        (
            *("body", "comment", "content", "description", "message", "note", "notes", "prompt", "question"),
            *("rationale", "reason", "summary", "text"),
        ),
        _sentence,
    ),
}
_PROSE: Final = frozenset(name for name, make in _NAMES.items() if make is _sentence)
# Whose name is a person's.
_PEOPLE: Final = frozenset(
    [
        *("actor", "artist", "author", "contact", "customer", "director", "doctor", "employee", "full", "guest"),
        *("patient", "player", "student", "stylist", "teacher", "therapist"),
    ]
)
# Some names say more in two words than in their last.
_PAIRS: Final = {
    **dict.fromkeys(("company name", "hotel name", "restaurant name", "team name", "brand name"), "company"),
    **dict.fromkeys(("movie name", "book name", "event name", "album name", "song name"), "title"),
    **dict.fromkeys(("first name",), "firstname"),
    **dict.fromkeys(("last name",), "lastname"),
    **dict.fromkeys(("user name",), "username"),
    **dict.fromkeys(("file name",), "filename"),
    **dict.fromkeys(("city name",), "city"),
    **dict.fromkeys(("country name",), "country"),
    **dict.fromkeys(("project name", "database name", "table name", "branch name"), "slug"),
    **dict.fromkeys(("time zone",), "timezone"),
    **dict.fromkeys(("date time",), "datetime"),
    **dict.fromkeys(("file path",), "path"),
    **dict.fromkeys(("phone number",), "phone"),
}
_RANGES: Final[dict[str, tuple[int, int]]] = {
    "year": (1990, 2026),
    "month": (1, 12),
    "day": (1, 28),
    "hour": (0, 23),
    **dict.fromkeys(("minute", "minutes"), (0, 59)),
    "age": (18, 80),
    **dict.fromkeys(("latitude", "lat"), (-80, 80)),
    **dict.fromkeys(("longitude", "lon", "lng"), (-170, 170)),
    **dict.fromkeys(("rating", "stars", "rank"), (1, 5)),
    **dict.fromkeys(("page", "adults", "children", "rooms", "passengers", "seats", "tickets", "guests"), (1, 4)),
    **dict.fromkeys(("probability", "confidence", "rate"), (0, 1)),
    **dict.fromkeys(("price", "amount", "budget", "cost", "principal"), (5, 2000)),
    **dict.fromkeys(("port",), (1024, 49151)),
    **dict.fromkeys(("temperature",), (-10, 35)),
    **dict.fromkeys(("id",), (1000, 99999)),
}


def _words_of(name: str) -> list[str]:
    """The words of a property's name, in lower case."""
    apart = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name[:200])
    return [each for each in re.split(r"[^a-z]+", apart.lower()) if each]


def key(rng: Random) -> str:
    """A made-up property's name."""
    return rng.choice(_WORDS)


def made_up(rng: Random, name: str, description: str, size: int) -> str:
    """A text for a property of this name."""
    description = description[:1000]
    words = _words_of(name)
    said = [found[2] for found in _SAID.finditer(description)]
    if said and size == 1 and rng.random() < 0.4:
        return rng.choice(said)
    layout = next((make for form, make in _LAYOUTS if form.search(description)), None)
    hint = _hint(words)
    if size > 1 and (hint is None or hint in _PROSE):
        return " ".join(_sentence(rng) for _ in range(min(size, 5000)))
    if layout is not None and (hint is None or hint not in _PROSE):
        return layout(rng)
    return _NAMES[hint](rng) if hint is not None else _words(rng, 1, 2)


def _hint(words: list[str]) -> str | None:
    pair = _PAIRS.get(" ".join(words[-2:]))
    if pair is not None:
        return pair
    if words[-1:] == ["name"] and len(words) > 1 and words[-2] not in _PEOPLE:
        words = words[:-1]
    found = [word for word in words if word in _NAMES]
    plain = [word for word in found if word not in ("name", "number", "id")] or found
    return (found if found and found[-1] == "id" else plain)[-1] if found else None


def fitted(text: str, rng: Random, least: int, most: int | None) -> str:
    """A text cut, or gone on with, so that its length lies between two."""
    if len(text) < least:
        more = [text] if text else []
        length = len(text)
        while length < least:
            more.append(rng.choice(_WORDS))
            length += len(more[-1]) + 1
        text = " ".join(more)
        most = least + 8 if most is None else most
    if most is not None and len(text) > most:
        text = text[: max(most, 0)]
        text = text[:-1] + rng.choice("abcdefgh") if text.endswith(" ") else text
    return text


def usual(name: str) -> tuple[int, int] | None:
    """The usual range of a property of this name."""
    return next((_RANGES[word] for word in reversed(_words_of(name)) if word in _RANGES), None)
