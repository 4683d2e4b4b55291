ThisBuild / organization := "io.windrow"
ThisBuild / version      := "0.1.0"
ThisBuild / scalaVersion := "2.13.18"

val sparkCompile = "4.1.1" // lowest supported
val jackson      = "2.20.0"

lazy val common = Seq(
  scalacOptions ++= Seq("-deprecation", "-feature", "-unchecked", "-Xlint", "-Wunused", "-Werror", "-release:17"),
  javacOptions ++= Seq("--release", "17"))

lazy val core = (project in file("jvm/core")).settings(
  common,
  name                                                         := "windrow-core",
  libraryDependencies += "com.fasterxml.jackson.core" % "jackson-databind" % jackson % Provided)

lazy val testkit = (project in file("jvm/testkit")).dependsOn(core).settings(
  common,
  name := "windrow-testkit",
  libraryDependencies ++= Seq(
    "com.fasterxml.jackson.core" % "jackson-databind" % jackson % Provided,
    "org.scalacheck"            %% "scalacheck"       % "1.18.1",
    "org.scalatest"             %% "scalatest"        % "3.2.19" % Test))
