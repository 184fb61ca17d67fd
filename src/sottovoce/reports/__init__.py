"""Reports: what leaves the devices, in compact columns. There is a class for each shape, all with the same few methods."""

from sottovoce.reports.base import Reports
from sottovoce.reports.codes import CodeReports
from sottovoce.reports.hashed import HashedReports
from sottovoce.reports.population import PopulationReports
from sottovoce.reports.product import ProductReports
from sottovoce.reports.sets import SetReports

__all__ = ["CodeReports", "HashedReports", "PopulationReports", "ProductReports", "Reports", "SetReports"]
