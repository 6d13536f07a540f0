"""spec.config.tools and spec.toolsDb[]: tools that the router offers to the models."""

from typing import Literal

from pydantic import Field, StrictBool, StrictInt

from semantic_router_operator.model.base import PassThrough, SnakeModel, StringList
from semantic_router_operator.model.config.values import Fraction


class Tools(SnakeModel):
    """Choice of tools for a request, by likeness."""

    enabled: StrictBool = Field(default=True, description="False switches the choice off.")
    top_k: StrictInt = Field(default=3, description="Most tools for a request.")
    similarity_threshold: Fraction = Field(
        default="0.2", description="How alike tool and request must be, from 0 to 1, as text."
    )
    tools_db_path: str = Field(
        default="config/tools_db.json",
        description="File in the pod with the tools; the default is what spec.toolsDb becomes.",
    )
    fallback_to_empty: StrictBool = Field(
        default=True, description="False fails a request when the choice fails."
    )


class ToolParameters(SnakeModel):
    """JSON Schema of a function's arguments."""

    type: str | None = Field(default=None, description="object, as a rule.")
    properties: PassThrough | None = Field(
        default=None, description="JSON Schema of each argument by name; passed on whole."
    )
    required: StringList = Field(default=(), description="Arguments that must be given.")


class ToolFunction(SnakeModel):
    """A function that a model may call."""

    name: str | None = Field(default=None, description="Name of the function.")
    description: str | None = Field(
        default=None, description="What the function does, for the model to read."
    )
    parameters: ToolParameters | None = Field(
        default=None, description="JSON Schema of its arguments."
    )


class Tool(SnakeModel):
    """A tool as the OpenAI API describes it."""

    type: Literal["function"] | None = Field(default=None, description="Always function.")
    function: ToolFunction | None = Field(
        default=None, description="The function that a model may call."
    )


class ToolEntry(SnakeModel):
    """A tool, and what requests are compared with."""

    tool: Tool | None = Field(default=None, description="The tool that the models are offered.")
    description: str | None = Field(
        default=None, description="Text that requests are compared with."
    )
    category: str | None = Field(default=None, description="Category of the tool.")
    tags: StringList = Field(default=(), description="Tags of the tool.")
