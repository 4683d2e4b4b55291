package windrow.spark

import org.apache.spark.sql.{SparkSessionExtensions, SparkSessionExtensionsProvider}
import windrow.spark.accelerate.AccelerationRule
import windrow.spark.functions.AggregateFunctions
import windrow.spark.output.OperatorNames
import windrow.spark.pack.PackStrategy
import windrow.spark.sql.{TableFunctions, Usage, WithTables}
import windrow.spark.ui.WindrowTab

/** Registers Windrow's functions and rules with a session. Spark finds this class as a service on the class path, so no
  * setting is needed.
  */
final class WindrowExtensions extends SparkSessionExtensionsProvider {

  def apply(extensions: SparkSessionExtensions): Unit = {
    TableFunctions.all(WindrowVersion.value).foreach(extensions.injectTableFunction)
    AggregateFunctions.All.foreach { case (name, builder) =>
      extensions.injectFunction((name, Usage.info(name.funcName), Usage.refusing(builder)))
    }
    extensions.injectHintResolutionRule(_ => WithTables)
    extensions.injectPostHocResolutionRule(_ => OperatorNames.Check)
    extensions.injectPostHocResolutionRule { session =>
      WindrowTab.attach(session)
      AccelerationRule(session)
    }
    extensions.injectPlannerStrategy(session => PackStrategy(session))
  }
}
