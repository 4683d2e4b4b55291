import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;

/** Prints the results of the two queries of the page, of a file of orders: first the totals and the late orders of the DataStream API, then,
 * after the word `once`, the rows of the SQL query. */
public final class Flink {
  public static final class Order {
    public String product;
    public Instant time;
    public double price;
  }

  /** An order whose time is that of its stream. */
  public static final class Sale {
    public String product;
    public double price;
  }

  public static final class Total implements AggregateFunction<Order, Double, Double> {
    public Double createAccumulator() { return 0.0; }
    public Double add(Order order, Double total) { return total + order.price; }
    public Double getResult(Double total) { return total; }
    public Double merge(Double one, Double other) { return one + other; }
  }

  public static final class WithWindow extends ProcessWindowFunction<Double, String, String, TimeWindow> {
    public void process(String product, Context context, Iterable<Double> totals, Collector<String> out) {
      out.collect(product + "," + Instant.ofEpochMilli(context.window().getStart()) + "," + totals.iterator().next());
    }
  }

  /** The greatest time less one minute, after each order. */
  public static final class EachOrder implements WatermarkGenerator<Order> {
    private long latest = Long.MIN_VALUE + 100_000;

    public void onEvent(Order order, long time, WatermarkOutput output) {
      latest = Math.max(latest, time);
      output.emitWatermark(new Watermark(latest - 60_000 - 1));
    }
    public void onPeriodicEmit(WatermarkOutput output) {}
  }

  public static void main(String[] arguments) throws Exception {
    var rows = new ArrayList<Order>();
    for (var line : Files.readAllLines(Path.of(arguments[0]))) {
      var cells = line.split(",");
      var order = new Order();
      order.time = Instant.parse(cells[0]);
      order.product = cells[1];
      order.price = Double.parseDouble(cells[2]);
      rows.add(order);
    }
    var environment = StreamExecutionEnvironment.createLocalEnvironment(1);
    DataStream<Order> orders = environment.fromData(rows).assignTimestampsAndWatermarks(
        WatermarkStrategy.<Order>forGenerator(context -> new EachOrder())
            .withTimestampAssigner((order, before) -> order.time.toEpochMilli()));
    var late = new OutputTag<Order>("late") {};
    var totals =
        orders.keyBy(o -> o.product)
            .window(TumblingEventTimeWindows.of(Duration.ofHours(1)))
            .allowedLateness(Duration.ofDays(1))
            .sideOutputLateData(late)
            .aggregate(new Total(), new WithWindow());
    var lost = totals.getSideOutput(late).map(order -> "late," + order.product + "," + order.time);
    totals.union(lost).executeAndCollect().forEachRemaining(System.out::println);

    System.out.println("once");
    var tables = StreamTableEnvironment.create(environment);
    var sales = orders.map(order -> {
      var sale = new Sale();
      sale.product = order.product;
      sale.price = order.price;
      return sale;
    });
    tables.createTemporaryView("orders", tables.fromDataStream(sales, Schema.newBuilder()
        .column("product", "STRING").column("price", "DOUBLE")
        .columnByMetadata("time", "TIMESTAMP_LTZ(3)", "rowtime", true).watermark("time", "SOURCE_WATERMARK()").build()));
    tables.getConfig().set("table.local-time-zone", "UTC");
    var sql = Files.readString(Path.of(arguments[1]));
    tables.executeSql(sql).collect().forEachRemaining(row ->
        System.out.println(row.getField(0) + "," + row.getField(1) + "," + row.getField(3)));
  }
}
