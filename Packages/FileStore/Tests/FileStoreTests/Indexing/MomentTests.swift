import Foundation
import Testing

@testable import FileStore

@Suite struct `Reads of one moment` {
  @Test func `A moment shows no later write, and a compaction leaves its files readable`() async throws {
    try await withTemporaryDirectory { (directory: String) in
      let engine = FileEngine(
        directory: directory + "/store", options: FileEngineOptions(), fileSystem: PosixFileSystem(),
        clock: SystemClock())
      let (old, new) = (JournalScript.json("old"), JournalScript.json("new"))
      try await engine.write((1...100).map { .create("Book", "\($0)", old) })
      let moment = try await engine.moment(keepsFiles: true)
      try await engine.write((2...100).map { .update("Book", "\($0)", new) } + [.delete("Book", "1")])
      try await engine.compact()
      let chunk = try await engine.readChunk("Book", after: .start, at: moment)
      #expect(chunk.rows.map(\.identifier) == (1...100).map(String.init))
      #expect(chunk.rows.allSatisfy { chunk.value($0).elementsEqual(old) })
      #expect(try await engine.record("Book", "1", at: moment)?.bytes == old)
      #expect(try await engine.readChunk("Book").rows.count == 99)
      try await engine.close()
    }
  }
}
