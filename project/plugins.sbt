addSbtPlugin("org.scalameta"      % "sbt-scalafmt"    % "2.5.5")
addSbtPlugin("pl.project13.scala" % "sbt-jmh"         % "0.4.7")
addSbtPlugin("com.typesafe"       % "sbt-mima-plugin" % "1.1.6")

libraryDependencies += "org.ow2.asm" % "asm-commons" % "9.8" // project/Spark40.scala
