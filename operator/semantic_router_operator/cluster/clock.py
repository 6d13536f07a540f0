"""The one place that reads the clock."""

from datetime import UTC, datetime


class SystemClock:
    """ports.Clock from the machine's clock."""

    def now(self) -> datetime:
        """Now, in UTC."""
        return datetime.now(UTC)
