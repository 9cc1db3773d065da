// Compiled on Apple's platforms only, by the macOS workflow: names of this library next to those of SwiftUI and
// SwiftData.
#if canImport(SwiftUI) && canImport(SwiftData)
  import Foundation
  import ModelKit
  import SwiftData
  import SwiftUI
  import Testing

  private final class Album: ModelKit.Model {
    @Field var id: Int?
    @Required(.notBlank) var title = "Untitled"
    @ModelArrayField var songs: [Song]?
    override var identifierField: AnyField? { $id }
  }

  // The macro of SwiftData is `@Model`; a class is `: Model`.
  private final class Song: Model {
    @Field var id: Int?
    @Required var title = "Untitled"
    @ModelField(foreignKey: true, inverse: \.$songs) var album: Album?
    override var identifierField: AnyField? { $id }
  }

  @SwiftData.Model
  final class StoredNote {
    var text: String
    init(text: String) { self.text = text }
  }

  private struct SongForm: View {
    let song: Song
    @State private var isShown = true

    var body: some View {
      TextField("Title", text: song.$title.binding(default: ""))
      Toggle("Shown", isOn: $isShown)
      Button("Clear") {
        // Inside a view, `transaction` is a modifier of SwiftUI.
        ObservationKit.transaction {
          song.title = ""
          song.album = nil
        }
      }
    }
  }

  @MainActor
  @Suite struct `Models beside SwiftUI and SwiftData` {
    @Test func `A model of this library and one of SwiftData are in one file`() async throws {
      let store = MemoryModelStore(), song = Song(), note = StoredNote(text: "Emma")
      song.title = note.text
      try await store.save(song)
      #expect(try await store.count(Song.self, where: { $0.title == "Emma" }) == 1)
      song.$title.binding(default: "").wrappedValue = "Persuasion"
      #expect(song.title == "Persuasion")
      _ = SongForm(song: song)
    }
  }
#endif
