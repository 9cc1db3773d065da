public import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The machine and the date of a measurement, needed to interpret its times.
public struct Machine: Sendable, Encodable {
  /// The date of the measurement.
  public let date: Date
  /// The number of processors.
  public let cores: Int
  /// The instruction set.
  public let architecture: String
  /// The operating system.
  public let system: String
  /// The version of Swift that is installed.
  public let swift: String
  /// The load average of the minute before the measurement.
  public let load: Double

  /// Describes this machine at this moment.
  public init() {
    date = Date()
    cores = ProcessInfo.processInfo.processorCount
    #if arch(x86_64)
      architecture = "x86-64"
    #elseif arch(arm64)
      architecture = "arm64"
    #else
      architecture = "other"
    #endif
    #if os(Linux)
      system = "Linux"
    #else
      system = ProcessInfo.processInfo.operatingSystemVersionString
    #endif
    swift = Self.installedSwift()
    load = Self.currentLoad()
  }

  /// A sentence for the head of a report.
  public var summary: String {
    let day = date.formatted(.iso8601.year().month().day())
    return "\(day), \(cores) cores \(architecture), \(system), Swift \(swift)"
  }

  /// The load before and after the measurements. A high load marks the figures as preliminary.
  public var loadSummary: String {
    let end = Self.currentLoad()
    // The measurements themselves keep one core busy until the end.
    let isBusy = load > 1.2 || end > 1.6
    return "load \(Format.decimal(load, places: 1)) before and \(Format.decimal(end, places: 1)) after"
      + (isBusy ? ", so preliminary" : "")
  }

  private static func currentLoad() -> Double {
    var loads = [0.0]
    return getloadavg(&loads, 1) == 1 ? loads[0] : .nan
  }

  private static func installedSwift() -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["swift", "--version"]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return "of unknown version" }
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard let version = text.firstMatch(of: /Swift version ([0-9.]+)/) else { return "of unknown version" }
    return String(version.1)
  }
}
