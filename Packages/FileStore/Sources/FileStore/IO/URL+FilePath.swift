import Foundation

extension URL {
  /// The path that the URL stands for.
  ///
  /// - Throws: ``FileEngineError/noPath(_:reason:)`` if it is no file URL, or has a zero byte, at which the system would take
  ///   the path for ended.
  func filePath() throws(FileEngineError) -> String {
    guard isFileURL else { throw .noPath(absoluteString, reason: "it is no file URL") }
    let path = path(percentEncoded: false)
    if path.utf8.contains(0) || absoluteString.contains("%00") {
      throw .noPath(absoluteString, reason: "it has a zero byte")
    }
    return path
  }
}
