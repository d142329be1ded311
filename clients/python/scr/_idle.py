"""What answers where SCR is switched off (SCR_ENABLE=0): every call succeeds at once, and does nothing."""

import os
from typing import Any, Dict, Optional

from ._connection import Body, Notice, Prepared
from .errors import BadRequestError

_ANSWERS: Dict[str, Body] = {
    "init": {"run": 1, "node": "none", "version": 1, "release": "off"},
    "have-restart": {"available": False},
    "need-checkpoint": {"need": False},
    "should-exit": {"exit": False},
    "flush-test": {"flushed": True, "wanted": False},
    "flush-wait": {"flushed": True, "wanted": False},
}


class Idle:
    """In the place of a connection. Files are where the program calls them; no other rank is waited for."""

    def prepare(self, verb: str, body: Body) -> Prepared:
        """Keeps the answer."""
        return Prepared(verb, b"", self.call(verb, body))

    def ask(self, prepared: Prepared) -> Body:
        """The answer that was kept."""
        return prepared.answer

    def call(self, verb: str, body: Dict[str, Any], notice: Optional[Notice] = None) -> Body:
        """The answer."""
        if verb == "start-output":
            return {"dataset": 1, "name": body.get("name", "none"), "directory": "/"}
        if verb == "route":
            if not body["name"]:
                raise BadRequestError("a file needs a name; it is empty")
            file = os.path.normpath(os.path.join(body["directory"], body["name"]))
            os.makedirs(os.path.dirname(file), exist_ok=True)
            return {"file": file}
        return _ANSWERS.get(verb, {})

    def check_process(self) -> None:
        """Any process may call."""

    def close(self) -> None:
        """There is nothing to close."""
