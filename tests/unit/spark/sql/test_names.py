"""Names of topics and archives in SQL: found where a table or a column is meant, and nowhere else."""

import pytest

from chronik.spark.sql.names import QueryTable, QueryTableKind, parsed_query

ORDERS = QueryTable(QueryTableKind.TOPIC, "orders")


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("select * from topic.orders", "select * from `topic.orders` AS `orders`"),
        ("select * from TOPIC.orders o where 1=1", "select * from `topic.orders` o where 1=1"),
        ("select * from topic.orders as o", "select * from `topic.orders` as o"),
        ("select * from topic.orders where x", "select * from `topic.orders` AS `orders` where x"),
        ("select 2 from (select 1 from topic.orders)", "select 2 from (select 1 from `topic.orders` AS `orders`)"),
        ("select topic.orders.value from topic.orders", "select `orders`.value from `topic.orders` AS `orders`"),
        ("select * from topic.`my-topic`", "select * from `topic.my-topic` AS `my-topic`"),
        ("select 'topic.x' -- topic.x\nfrom topic.orders o", "select 'topic.x' -- topic.x\nfrom `topic.orders` o"),
        ("select /* topic.x */ a.topic.b from topic.orders t", "select /* topic.x */ a.topic.b from `topic.orders` t"),
        ("select 1 from topic.orders, topic.orders b", "select 1 from `topic.orders` AS `orders`, `topic.orders` b"),
    ],
)  # fmt: skip
def test_names_become_views(text: str, changed: str) -> None:
    assert parsed_query(text).text == changed


def test_the_sources_of_a_query_are_told() -> None:
    query = parsed_query("select * from topic.orders o join archive.orders a using (offset) join topic.`a.b`")
    assert query.sources == {
        ORDERS,
        QueryTable(QueryTableKind.ARCHIVE, "orders"),
        QueryTable(QueryTableKind.TOPIC, "a.b"),
    }


@pytest.mark.parametrize(
    ("text", "is_open"),
    [
        ("select count(*) from topic.orders", False),
        ("select offset from topic.orders", False),
        ("with t as (select key from topic.orders) select count(key) from t", False),
        ("select * from topic.orders", True),
        ("select o.* from topic.orders o", True),
        ("select count(*), * from topic.orders", True),
        ("select count(*) from topic.orders natural join archive.orders", True),
        ("table topic.orders", True),
        ("from topic.orders |> limit 1", True),
    ],
)
def test_a_query_that_may_mean_other_columns_than_it_names_is_open(text: str, is_open: bool) -> None:
    assert parsed_query(text).is_open is is_open
