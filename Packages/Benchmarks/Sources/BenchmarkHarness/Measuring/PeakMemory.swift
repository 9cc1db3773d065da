import CBenchmarkSupport
import Foundation

/// The most memory that a piece of work takes beyond what the process has before, in bytes. Linux only.
public enum PeakMemory {
  /// Does the work.
  ///
  /// - Returns: what it gives, and the bytes; nil where the system does not tell.
  public static func during<Result>(_ work: () throws -> Result) rethrows -> (result: Result, bytes: Int?) {
    benchmark_trim_heap()
    // 5 stands for the high-water mark.
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
