-- Orders of each hour, and of each hour the change against the hour before.
--
-- Run it with: spark-sql --jars python/windrow/jars/windrow-0.1.0.jar -f examples/busiest_hours.sql
-- A table function takes the aggregation as its table argument. Over a table, as here, it returns the
-- last value of each window; over a stream it returns panes. The statements return:
--
-- +-------+-------------------+-----+------+
-- |product|               hour|total|change|
-- +-------+-------------------+-----+------+
-- |   salt|2025-01-01 09:00:00|  1.5|  NULL|
-- |    tea|2025-01-01 09:00:00|  6.0|  NULL|
-- |    tea|2025-01-01 10:00:00|  6.0|   0.0|
-- |    tea|2025-01-01 11:00:00|  1.0|  -5.0|
-- +-------+-------------------+-----+------+

CREATE OR REPLACE TEMPORARY VIEW orders AS
SELECT to_timestamp('2025-01-01 ' || time) AS time, product, price
FROM VALUES ('09:00:10', 'tea', 2.0D), ('09:40:00', 'tea', 4.0D), ('10:05:00', 'tea', 6.0D),
            ('11:59:00', 'tea', 1.0D), ('09:30:00', 'salt', 1.5D) AS t(time, product, price);

CREATE OR REPLACE TEMPORARY VIEW hours AS
SELECT product, window.start AS hour, total
FROM windrow_tumble(
  TABLE(SELECT product, sum(price) AS total FROM orders GROUP BY product),
  time => 'time', size => '1 hour', lateness => '0 seconds', watermark => '0 seconds');

SELECT product, hour, total, total - lag(total) OVER (PARTITION BY product ORDER BY hour) AS change
FROM hours ORDER BY product, hour;
