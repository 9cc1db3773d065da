import CBenchmarkSupport
import Foundation

/// A measurement of the peak memory of some work, beyond the memory of the process before. Linux only.
public enum PeakMemory {
  /// Runs the work.
  ///
  /// - Returns: its result and the peak in bytes, which is nil if the system does not report it.
  public static func during<Result>(_ work: () throws -> Result) rethrows -> (result: Result, bytes: Int?) {
    benchmark_trim_heap()
    // The value 5 resets the high-water mark.
    try? Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
    let before = status("VmRSS:")
    let result = try work()
    guard let before, let peak = status("VmHWM:") else { return (result, nil) }
    return (result, max(0, peak - before))
  }

  private static func status(_ key: String) -> Int? {
    guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
    let line = text.split(separator: "\n").first { $0.hasPrefix(key) }
    return line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }.map { $0 * 1_024 }
  }
}
