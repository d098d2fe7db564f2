"""Pictures of whatever mode as they are shown: upright, in grey or RGB of eight bits, on white paper."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL import Image

_ORIENTATION = 0x0112
_UNDONE_BY = {
    2: "FLIP_LEFT_RIGHT",
    3: "ROTATE_180",
    4: "FLIP_TOP_BOTTOM",
    5: "TRANSPOSE",
    6: "ROTATE_270",
    7: "TRANSVERSE",
    8: "ROTATE_90",
}


def on_white(image: "Image.Image") -> "Image.Image":
    """The picture without transparency: grey or RGB, what was see-through on white."""
    from PIL import Image

    if image.mode not in {"LA", "RGBA"}:
        return image
    mode = "RGB" if image.mode == "RGBA" else "L"
    if image.getchannel("A").getextrema() == (255, 255):
        return image.convert(mode)
    sheet = Image.new(mode, image.size, "white")
    sheet.paste(image.convert(mode), mask=image.getchannel("A"))
    return sheet


def upright(image: "Image.Image") -> "Image.Image":
    """The picture turned as its EXIF says."""
    from PIL import Image

    # exif_transpose also writes the EXIF block anew, which fails on blocks that viewers read without complaint.
    undone_by = _UNDONE_BY.get(image.getexif().get(_ORIENTATION, 1))
    return image if undone_by is None else image.transpose(Image.Transpose[undone_by])


def plain(image: "Image.Image") -> "Image.Image":
    """Grey or RGB: what the picture shows on white paper."""
    if image.mode.startswith("I;16"):
        return _eight_bits(image)
    if image.mode in {"LA", "La", "PA", "RGBA", "RGBa"} or "transparency" in image.info:
        grey = image.mode in {"1", "L", "LA", "La"}
        shown = on_white(image.convert("RGBA"))
        return shown.convert("L") if grey else shown
    return image.convert("L" if image.mode in {"1", "L"} else "RGB")


def _eight_bits(image: "Image.Image") -> "Image.Image":
    import numpy as np
    from PIL import Image

    deep = np.asarray(image).astype(np.uint32)
    shallow = ((deep * 255 + 32767) // 65535).astype(np.uint8)
    clear = image.info.get("transparency")
    if isinstance(clear, int):
        shallow[deep == clear] = 255
    return Image.fromarray(shallow)
