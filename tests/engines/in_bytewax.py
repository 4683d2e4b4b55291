"""Prints the totals and the late orders that Bytewax computes of a file of orders."""

import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import bytewax.operators as op
import bytewax.operators.windowing as w
from bytewax.dataflow import Dataflow
from bytewax.testing import TestingSink, TestingSource, run_main


class Order(NamedTuple):
    """An order."""

    time: datetime
    product: str
    price: float


rows = []
for line in Path(sys.argv[1]).read_text(encoding="utf-8").splitlines():
    time, product, price = line.split(",")
    rows.append(Order(datetime.fromisoformat(time), product, float(price)))

flow = Dataflow("totals")
orders = op.key_on(
    "by_product", op.input("in", flow, TestingSource(rows)), lambda order: order.product
)

clock = w.EventClock(lambda order: order.time, wait_for_system_duration=timedelta(minutes=1))
hours = w.TumblingWindower(length=timedelta(hours=1), align_to=datetime(2026, 1, 1, tzinfo=UTC))
totals = w.fold_window(
    "totals",
    orders,
    clock,
    hours,
    lambda: 0.0,
    lambda total, order: total + order.price,
    float.__add__,
)

found, late = [], []
op.output("out", totals.down, TestingSink(found))
op.output("late", totals.late, TestingSink(late))
run_main(flow)
for product, (hour, total) in found:
    start = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=hour)
    print(f"{product},{start.isoformat()},{total}")  # noqa: T201
for product, (_, order) in late:
    print(f"late,{product},{order.time.isoformat()}")  # noqa: T201
