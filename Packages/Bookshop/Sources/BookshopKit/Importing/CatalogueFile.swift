package import Foundation
import ModelKit

/// A file of authors with their books, whose syntax is checked to the last byte.
///
/// The file is an object with a list under `authors`, or that list alone. It is mapped, not read into memory.
package struct CatalogueFile {
  /// The bytes of the file.
  let data: Data
  /// The path of the list of authors: `authors`, or the empty path for the whole document.
  let listPath: String
  /// The reader of the list, before its first element.
  let authors: JSONArrayReader

  /// Opens a file and checks its syntax.
  ///
  /// - Throws: ``ShopError/unusableFile(_:)`` with the problem and its location.
  /// - Complexity: O(*n*) in the length of the file. It uses no memory besides the mapped file.
  package init(contentsOf url: URL) throws {
    let path = url.relativePath
    data = try Self.bytes(at: url, path)
    do {
      // A list alone is checked only while it is read. That is too late, because a broken file must not be imported in
      // part. The reader of a list inside an object checks the whole document when it is created.
      if Self.beginsObject(data) {
        listPath = "authors"
      } else {
        try JSONValue.validate(json: data)
        listPath = ""
      }
      authors = try JSONArrayReader(data, at: listPath)
    } catch  where error.code == .missingArray {
      throw ShopError.unusableFile(
        "'\(path)' is not a catalogue. Nothing was imported: \(error.message) (line \(error.line), column \(error.column))."
      )
    } catch {
      throw ShopError.unusableFile("'\(path)' can't be read. Nothing was imported. \(error)")
    }
  }

  private static func bytes(at url: URL, _ path: String) throws -> Data {
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: url.path(percentEncoded: false), isDirectory: &isDirectory) else {
      throw ShopError.unusableFile("There is no file '\(path)'. Nothing was imported.")
    }
    guard !isDirectory.boolValue else {
      throw ShopError.unusableFile("'\(path)' is a directory. Nothing was imported: name a JSON file.")
    }
    do {
      let target = url.resolvingSymlinksInPath().path(percentEncoded: false)
      let attributes = try? FileManager.default.attributesOfItem(atPath: target)
      if attributes?[.type] as? FileAttributeType == .typeRegular {
        return try Data(contentsOf: url, options: .mappedIfSafe)
      }
      // A pipe, such as /dev/stdin, has no size and can only be read to its end.
      return try FileHandle(forReadingFrom: url).readToEnd() ?? Data()
    } catch {
      throw ShopError.unusableFile("'\(path)' can't be opened. Nothing was imported: \(error.localizedDescription)")
    }
  }

  private static func beginsObject(_ data: Data) -> Bool {
    let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let content = data.starts(with: byteOrderMark) ? data.dropFirst(3) : data
    return content.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "{")
  }
}
