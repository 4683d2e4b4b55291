import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Properties;
import java.util.function.UnaryOperator;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Suppressed;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.kstream.Windowed;

/** Prints the totals that Kafka Streams computes of a file of orders: first each update, as ksqlDB's `EMIT CHANGES`, then, after the word
 * `once`, one total for each window, as ksqlDB's `EMIT FINAL`. */
public final class KafkaStreams {
  record Order(double price) {}

  public static void main(String[] arguments) throws Exception {
    run("updates", totals -> totals, arguments);
    System.out.println("once");
    run("once", totals -> totals.suppress(Suppressed.untilWindowCloses(Suppressed.BufferConfig.unbounded())), arguments);
  }

  private static void run(
      String name, UnaryOperator<KTable<Windowed<String>, Double>> emitted, String[] arguments) throws Exception {
    var serde = Serdes.serdeFrom(
        (topic, one) -> Double.toString(one.price()).getBytes(),
        (topic, bytes) -> new Order(Double.parseDouble(new String(bytes))));
    var builder = new StreamsBuilder();
    KStream<String, Order> orders = builder.stream("orders", Consumed.with(Serdes.String(), serde));
    var totals =
        orders.groupByKey()
            .windowedBy(TimeWindows.ofSizeAndGrace(Duration.ofHours(1), Duration.ofDays(1)))
            .aggregate(() -> 0.0, (product, order, total) -> total + order.price());
    emitted.apply(totals).toStream().foreach((window, total) ->
        System.out.println(window.key() + "," + window.window().startTime() + "," + total));
    var settings = new Properties();
    settings.put(StreamsConfig.APPLICATION_ID_CONFIG, name);
    settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "nowhere:1");
    settings.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
    settings.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.DoubleSerde.class);
    settings.put(StreamsConfig.STATE_DIR_CONFIG, arguments[1]);
    try (var driver = new TopologyTestDriver(builder.build(), settings)) {
      var input = driver.createInputTopic("orders", new StringSerializer(), serde.serializer());
      for (var line : Files.readAllLines(Path.of(arguments[0]))) {
        var cells = line.split(",");
        input.pipeInput(cells[1], new Order(Double.parseDouble(cells[2])), Instant.parse(cells[0]));
      }
    }
  }
}
