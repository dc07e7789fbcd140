"""Hypothesis strategies for any msgspec type, read off its annotations: a new event is covered the day it is written."""

from typing import Any

import msgspec.inspect as mi
from hypothesis import strategies as st

_TEXT_LENGTH_MAX = 20
_TEXT = st.characters(exclude_categories=["Cs"])


def anything(kind: object) -> st.SearchStrategy[Any]:
    """Return a strategy for values of `kind`, a msgspec struct or anything it may hold."""
    return _of(mi.type_info(kind))


def _of(info: mi.Type) -> st.SearchStrategy[Any]:
    match info:
        case mi.Metadata():
            return _of(info.type)
        case mi.StrType():
            if info.pattern:
                return st.from_regex(info.pattern, fullmatch=True)
            longest = min(_TEXT_LENGTH_MAX, info.max_length or _TEXT_LENGTH_MAX)
            return st.text(_TEXT, min_size=info.min_length or 1, max_size=longest)
        case mi.IntType():
            return st.integers(
                -(2**53) + 1 if info.ge is None else info.ge, 2**53 - 1 if info.le is None else info.le
            )
        case mi.BoolType():
            return st.booleans()
        case mi.NoneType():
            return st.none()
        case mi.EnumType():
            return st.sampled_from(list(info.cls))
        case mi.LiteralType():
            return st.sampled_from(info.values)
        case mi.UnionType():
            return st.one_of(*map(_of, info.types))
        case mi.VarTupleType():
            return st.lists(_of(info.item_type), max_size=4).map(tuple)
        case mi.TupleType():
            return st.tuples(*map(_of, info.item_types))
        case mi.StructType():
            return st.builds(info.cls, **{field.name: _of(field.type) for field in info.fields})
        case _:
            raise NotImplementedError(f"no strategy for {info}")
