package import Foundation
import ModelKit

/// A file of authors with their books whose syntax was checked to the last byte.
///
/// The file is an object with a list under `authors`, or that list alone. It is mapped, not read into memory.
package struct CatalogueFile {
  /// The bytes of the file.
  let data: Data
  /// Where the list of authors is: `authors`, or the empty path for the whole document.
  let listPath: String
  /// The list, before its first element.
  let authors: JSONArrayReader

  /// Opens a file and checks that it is JSON.
  ///
  /// - Throws: ``ShopError/unusableFile(_:)``, which says what is wrong and where.
  /// - Complexity: O(*n*) in the length of the file; no memory beyond that of the mapped file.
  package init(contentsOf url: URL) throws {
    let path = url.relativePath
    data = try Self.bytes(at: url, path)
    do {
      // A list is checked as it is read, which would be too late: nothing is imported from a broken file. The reader of
      // a list inside an object checks the whole document when it is made.
      if Self.beginsObject(data) {
        listPath = "authors"
      } else {
        try JSONValue.validate(json: data)
        listPath = ""
      }
      authors = try JSONArrayReader(data, at: listPath)
    } catch  where error.code == .missingArray {
      throw ShopError.unusableFile(
        "'\(path)' is no catalogue. Nothing was imported: \(error.message) (line \(error.line), column \(error.column))."
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
      // A pipe, such as /dev/stdin, can only be read to its end.
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
