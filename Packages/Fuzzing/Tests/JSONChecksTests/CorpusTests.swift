import Foundation
import JSONChecks
import Testing

@Suite struct `Reading and writing JSON` {
  @Test func `Reading and writing agree on every document of the corpus`() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Corpus").standardized
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    #expect(files.count > 20)
    for file in files {
      let difference = difference(in: try Data(contentsOf: file))
      #expect(difference == nil, "\(file.lastPathComponent): \(difference ?? "")")
    }
  }
}
