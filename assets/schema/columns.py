"""What a table is: its columns with their types and meanings, and the column types that several tables share."""

from dataclasses import dataclass, field

import pyarrow as pa

PART = pa.struct([("kind", pa.string()), ("text", pa.string()), ("image_id", pa.string())])
TURN = pa.struct([("role", pa.string()), ("parts", pa.list_(PART))])
QUARANTINED = pa.struct([("file", pa.string()), ("line", pa.int32()), ("excerpt", pa.string())])
COUNTED_REASON = pa.struct([("reason", pa.string()), ("n", pa.int32())])
BOX = pa.struct([(side, pa.float64()) for side in ("left", "top", "width", "height")])
HEAD = pa.struct(
    [
        *((side, pa.float64()) for side in ("left", "top", "width", "height")),
        ("occlusion", pa.int32()),
        ("blur", pa.int32()),
    ]
)
PIECE = pa.struct([("piece", pa.string()), ("points", pa.list_(pa.float64()))])
PART_LABEL = pa.struct([("piece", pa.string()), ("text", pa.string())])
PIECE_GROUP = pa.struct([("pieces", pa.list_(pa.int32())), ("text", pa.string()), ("final", pa.bool_())])
DESCRIPTION = pa.struct(
    [
        ("annotator", pa.string()),
        ("whole", pa.string()),
        ("parts", pa.list_(PART_LABEL)),
        ("groups", pa.list_(PIECE_GROUP)),
    ]
)
EDIT = pa.struct([("step", pa.int32()), ("text", pa.string())])
COUNTED_STATUS = pa.struct([("status", pa.string()), ("n", pa.int32())])


@dataclass(frozen=True)
class Column:
    """One column: its name, arrow type, what it means, and whether a row may lack it."""

    name: str
    type: pa.DataType
    meaning: str
    nullable: bool = False


@dataclass(frozen=True)
class Table:
    """One kind of table: its name in the singular, what one row is, its columns in order."""

    name: str
    row: str
    columns: tuple[Column, ...]
    schema: pa.Schema = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Derive the arrow schema, which storage casts every table to."""
        object.__setattr__(self, "schema", pa.schema([(column.name, column.type) for column in self.columns]))

    @property
    def names(self) -> list[str]:
        """The column names in order."""
        return [column.name for column in self.columns]


def text(name: str, meaning: str, nullable: bool = False) -> Column:
    """A column of text."""
    return Column(name, pa.string(), meaning, nullable)


def count(name: str, meaning: str, nullable: bool = False) -> Column:
    """A column of whole numbers."""
    return Column(name, pa.int32(), meaning, nullable)


def fraction(name: str, meaning: str, nullable: bool = False) -> Column:
    """A column of fractions or measures."""
    return Column(name, pa.float64(), meaning, nullable)


DROPPED = (
    text("dropped", "Why the row goes no further; null when it is kept.", nullable=True),
    Column(
        "quarantined",
        QUARANTINED,
        "For a record that could not be read: its file, line and a raw excerpt; null for a row that was read.",
        nullable=True,
    ),
)
