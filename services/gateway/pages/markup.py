"""HTML made of elements: whatever is text is escaped, because only an element is anything else."""

from html import escape

VOID = {"meta", "link", "input", "br"}


class Html(str):
    """Markup. A `str` that is none is text, and escaped wherever it is put."""

    __slots__ = ()


def element(name: str, /, *children: "str | int | None", **attributes: "str | int | bool | None") -> Html:
    """Return an element; None among children or attributes is left out, `_` in an attribute's name is `-`.

    >>> element("td", "1 < 2", class_="x", hidden=True, title=None)
    '<td class="x" hidden>1 &lt; 2</td>'
    """
    written = "".join(
        _attribute(key.rstrip("_").replace("_", "-"), value) for key, value in attributes.items()
    )
    if name in VOID:
        return Html(f"<{name}{written}>")
    return Html(f"<{name}{written}>{joined(*children)}</{name}>")


def joined(*children: "str | int | None") -> Html:
    """Return `children` one after the other, text escaped."""
    return Html("".join(_child(child) for child in children if child is not None))


def _child(child: str | int) -> str:
    return child if isinstance(child, Html) else escape(str(child))


def _attribute(key: str, value: str | int | bool | None) -> str:  # noqa: FBT001 - HTML has such attributes
    if value is None or value is False:
        return ""
    return f" {key}" if value is True else f' {key}="{escape(str(value))}"'
