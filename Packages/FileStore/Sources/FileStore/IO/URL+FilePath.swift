import Foundation

extension URL {
  /// Returns the path of the URL.
  ///
  /// - Throws: ``FileEngineError/noPath(_:reason:)`` if it is not a file URL, or has a zero byte, at which the system
  ///   would end the path.
  func filePath() throws(FileEngineError) -> String {
    guard isFileURL else { throw .noPath(absoluteString, reason: "it is not a file URL") }
    let path = path(percentEncoded: false)
    if path.utf8.contains(0) || absoluteString.contains("%00") {
      throw .noPath(absoluteString, reason: "it has a zero byte")
    }
    return path
  }
}
