"""Fields of the daemon's answers, of the types that they must have; else :class:`InternalError` names the field."""

from typing import List

from ._connection import Body
from ._placing import NamedFile
from .errors import InternalError


def integer(reply: Body, field: str) -> int:
    value = reply.get(field)
    if type(value) is not int:
        raise _malformed(field, value, "a whole number")
    return value


def text(reply: Body, field: str) -> str:
    value = reply.get(field)
    if not isinstance(value, str):
        raise _malformed(field, value, "text")
    return value


def texts(reply: Body, field: str) -> List[str]:
    """A list that may be missing."""
    values = reply.get(field, [])
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise _malformed(field, values, "a list of texts")
    return values


def boolean(reply: Body, field: str) -> bool:
    value = reply.get(field)
    if not isinstance(value, bool):
        raise _malformed(field, value, "true or false")
    return value


def named_files(reply: Body) -> List[NamedFile]:
    files = reply["files"]
    if not isinstance(files, list) or not all(isinstance(file, dict) for file in files):
        raise _malformed("files", files, "a list of objects")
    return [NamedFile(text(file, "path"), text(file, "name")) for file in files]


def _malformed(field: str, value: object, expected: str) -> InternalError:
    return InternalError(f"the daemon's answer has {value!r:.40} as field '{field}', expected {expected}")
