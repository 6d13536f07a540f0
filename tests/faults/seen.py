"""What the proxy saw, and what it says about the client's manners."""

from collections.abc import Iterable
from dataclasses import dataclass

from faults.plan import Answer, RequestFault, Reset
from faults.subject import Subject


@dataclass(frozen=True, slots=True)
class Seen:
    """A request that came in. `code` is what the API server answered: 0 when it wasn't asked, or
    hadn't answered yet when the client went away."""

    at: float
    subject: Subject
    code: int
    fault: RequestFault | None = None
    changed: bool = False
    """Whether the object is another one since."""

    @property
    def committed(self) -> bool:
        """Whether the API server did it."""
        return 200 <= self.code < 300

    @property
    def told(self) -> bool:
        """Whether the client learned of that: an answer that was lost has to be asked for again."""
        return self.committed and not isinstance(self.fault, Reset)


def hasty(seen: Iterable[Seen]) -> list[str]:
    """Requests that were refused with Retry-After, and came again sooner than that."""
    wait: dict[tuple[str, str], float] = {}
    found = []
    for item in sorted(seen, key=lambda one: one.at):
        target = (item.subject.verb, item.subject.path)
        if item.at < (until := wait.pop(target, 0.0)):
            found.append(f"{item.subject} came again {until - item.at:.1f} s before Retry-After")
        match item.fault:
            case Answer(_, int(seconds)):
                wait[target] = item.at + seconds
            case _:
                pass
    return found
