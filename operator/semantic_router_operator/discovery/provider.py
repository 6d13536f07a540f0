"""backend.type provider: an external provider that the router knows by type."""

from semantic_router_operator.discovery.entry import Entry
from semantic_router_operator.discovery.url_targets import as_written
from semantic_router_operator.model.endpoints import ProviderBackend
from semantic_router_operator.model.resolution import Resolution

_PART = "backend.provider.baseURL"
_FIXED = {"openai": "https://api.openai.com/v1", "anthropic": "https://api.anthropic.com"}
"""The types with one public address. azure-openai, bedrock and vertex-ai have one for each account
or region, minimax one for each market, gemini several API generations, and vllm is self-hosted."""


def resolve(entry: Entry, backend: ProviderBackend) -> Resolution:
    """baseURL, or the fixed address of the type."""
    text = backend.base_url or _FIXED.get(backend.type)
    if text is None:
        return entry.invalid(_PART, f"type {backend.type} has no fixed address; give baseURL")
    return as_written(entry, _PART, text)
