import FieldKit
import Foundation
import Testing

@Suite(.serialized, .timeLimit(.minutes(30))) struct `The tool generates classes` {
  private static func json(_ arguments: String...) async throws -> JSONValue {
    let outcome = try await ModelKitTool.run(arguments + ["--json"])
    try #require(outcome.status == 0, "\(outcome.errors)")
    return try JSONValue(json: outcome.output)
  }

  @Test func `Classes are generated from a model file, and only files that change are written`() async throws {
    try await withTemporaryFolder { folder in
      let model = try NotesModel.write(in: folder)
      let output = folder.appending(path: "Models").path(percentEncoded: false)
      let first = try await Self.json("generate", model, "--output", output)
      let files = ["Note+Generated.swift", "Note.swift"].map { "\(output)/\($0)" }
      #expect(first == ["written": .array(files.map { .string($0) })])
      #expect(try String(contentsOf: URL(filePath: files[0]), encoding: .utf8).contains("text"))
      // A person's additions stay.
      try "// mine".write(to: URL(filePath: files[1]), atomically: true, encoding: .utf8)
      #expect(try await Self.json("generate", model, "--output", output) == ["written": []])
      _ = try NotesModel.write(in: folder, #"<attribute name="title" optional="YES" attributeType="String"/>"#)
      let check = try await ModelKitTool.run(["generate", model, "--output", output, "--check"])
      #expect(check.status == 1)
      #expect(check.errors.contains("Note+Generated.swift"))
      #expect(try await Self.json("generate", model, "--output", output) == ["written": [.string(files[0])]])
      #expect(try String(contentsOf: URL(filePath: files[1]), encoding: .utf8) == "// mine")
    }
  }

  @Test func `The types of value transformers are those of the command line`() async throws {
    try await withTemporaryFolder { folder in
      let day = #"<attribute name="day" optional="YES" attributeType="Transformable" valueTransformerName="Day"/>"#
      let model = try NotesModel.write(in: folder, day)
      let output = folder.appending(path: "Models")
      let path = output.path(percentEncoded: false)
      _ = try await Self.json("generate", model, "--output", path, "--transformer", "Day=Date", "--module", "ModelKit")
      let text = try String(contentsOf: output.appending(path: "Note+Generated.swift"), encoding: .utf8)
      #expect(text.contains("let day = Field<Date>"))
      #expect(text.contains("import ModelKit"))
    }
  }

  @Test(arguments: [("--module", "a b"), ("--module", ""), ("--transformer", "Day"), ("--transformer", "Day=Da;te")])
  func `An option that would generate source that does not compile is refused`(
    option: String, value: String
  ) async throws {
    try await withTemporaryFolder { folder in
      let model = try NotesModel.write(in: folder)
      let output = folder.appending(path: "Models").path(percentEncoded: false)
      let outcome = try await ModelKitTool.run(["generate", model, "--output", output, option, value])
      #expect(outcome.status == 64)
      #expect(outcome.errors.contains(option))
      #expect(!FileManager.default.fileExists(atPath: output))
    }
  }

  @Test func `A folder that is a file is named, with the reason`() async throws {
    try await withTemporaryFolder { folder in
      let model = try NotesModel.write(in: folder)
      let file = folder.appending(path: "file")
      try Data().write(to: file)
      let outcome = try await ModelKitTool.run(["generate", model, "--output", file.path(percentEncoded: false)])
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains("file' can't be used: File exists."), "\(outcome.errors)")
    }
  }
}
