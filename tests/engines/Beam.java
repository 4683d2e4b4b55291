import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.beam.sdk.coders.SerializableCoder;
import org.apache.beam.sdk.testing.TestStream;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.MapElements;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.Sum;
import org.apache.beam.sdk.transforms.windowing.AfterPane;
import org.apache.beam.sdk.transforms.windowing.AfterProcessingTime;
import org.apache.beam.sdk.transforms.windowing.AfterWatermark;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.transforms.windowing.FixedWindows;
import org.apache.beam.sdk.transforms.windowing.IntervalWindow;
import org.apache.beam.sdk.transforms.windowing.PaneInfo;
import org.apache.beam.sdk.transforms.windowing.Window;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.TimestampedValue;
import org.apache.beam.sdk.values.TypeDescriptors;
import org.joda.time.Duration;
import org.joda.time.Instant;

/** Prints each pane of the totals that Beam computes of a file of orders. The clock moves by 20 seconds after the second order. */
public final class Beam {
  record Order(String product, double price) implements java.io.Serializable {}

  static final class Print extends DoFn<KV<String, Double>, Void> {
    @ProcessElement
    public void print(@Element KV<String, Double> total, BoundedWindow window, PaneInfo pane) {
      System.out.println(total.getKey() + "," + ((IntervalWindow) window).start() + "," + total.getValue() + "," + pane.getTiming());
    }
  }

  public static void main(String[] arguments) throws Exception {
    var stream = TestStream.create(SerializableCoder.of(Order.class));
    var latest = Long.MIN_VALUE;
    var number = 0;
    for (var line : Files.readAllLines(Path.of(arguments[0]))) {
      var cells = line.split(",");
      var time = Instant.parse(cells[0]);
      stream = stream.addElements(TimestampedValue.of(new Order(cells[1], Double.parseDouble(cells[2])), time));
      if (++number == 2) stream = stream.advanceProcessingTime(Duration.standardSeconds(20));
      latest = Math.max(latest, time.getMillis());
      stream = stream.advanceWatermarkTo(new Instant(latest).minus(Duration.standardMinutes(1)));
    }
    var pipeline = Pipeline.create(PipelineOptionsFactory.fromArgs("--targetParallelism=1").create());
    PCollection<Order> orders = pipeline.apply(stream.advanceWatermarkToInfinity());
    var windowed =
        orders.apply(Window.<Order>into(FixedWindows.of(Duration.standardHours(1)))
            .triggering(AfterWatermark.pastEndOfWindow()
                .withEarlyFirings(AfterProcessingTime.pastFirstElementInPane().plusDelayOf(Duration.standardSeconds(10)))
                .withLateFirings(AfterPane.elementCountAtLeast(1)))
            .withAllowedLateness(Duration.standardDays(1))
            .accumulatingFiredPanes());
    windowed.apply(MapElements.into(TypeDescriptors.kvs(TypeDescriptors.strings(), TypeDescriptors.doubles()))
            .via(order -> KV.of(order.product(), order.price())))
        .apply(Sum.doublesPerKey()).apply(ParDo.of(new Print()));
    pipeline.run().waitUntilFinish();
  }
}
