import FieldKit
import Testing

/// A form, as an app would write it: its closures touch its state without any hop.
@MainActor
private final class Form: ObservationOwner {
  let name = Field<String>(name: "Name").require(.notBlank)
  let tags = Field<String>()*
  var title = ""
  var lengths: [Int] = []
  private var tokens: [ObservationToken] = []

  func load() {
    name --> self { form, value in form.title = value ?? "untitled" }
    name --> self { [weak self] value in self?.lengths.append(value?.count ?? 0) }
    (tags --> { [weak self] old, new in self?.lengths.append(new?.count ?? 0) }).store(in: &tokens)
    name.require { [weak self] in $0 != self?.title + "!" }
  }

  func close() { tokens.forEach { $0.cancel() } }
}

@MainActor
private final class Label: @MainActor ValueObserver {
  var text = ""

  func valueChanged(from oldValue: String?, to newValue: String?, observable: any ValueObservable<String?>) {
    text = newValue ?? ""
  }
}

extension String? {
  fileprivate static func + (left: String?, right: String) -> String { (left ?? "") + right }
}

@MainActor @Suite struct `Fields on the main actor` {
  @Test func `Fields on the main actor are observed and validated by closures that use the state of a class`() {
    let form = Form()
    form.load()
    form.name.value = "Ann"
    form.tags.append("a")
    form.close()
    form.tags.append("b")
    #expect(form.title == "Ann")
    #expect(form.lengths == [0, 0, 3, 1])
    #expect(form.name.valid)
  }

  @Test func `Fields on the main actor are observed by a class of the main actor`() {
    let (label, name) = (Label(), Field("Ann"))
    name --> label
    name.value = "Bob"
    #expect(label.text == "Bob")
    name -/-> label
  }
}
