"""The tools that compute, by name: what a tool's process can make of its settings."""

from collections.abc import Callable

from assets.models.tools.calculator import Calculator
from assets.models.tools.object_detection import ObjectDetection
from assets.models.tools.ocr import Ocr
from assets.models.tools.regions import Crop, Zoom
from assets.models.tools.table_reading import TableReading
from assets.models.tools.tool import Computing
from assets.models.tools.unit_conversion import UnitConversion

COMPUTING: dict[str, Callable[..., Computing]] = {
    one.name: one for one in (Ocr, Crop, Zoom, TableReading, ObjectDetection, Calculator, UnitConversion)
}
