package import Foundation
import ModelKit

/// A demo of all commands on a catalogue, in a temporary folder that is removed at the end.
package struct Demo {
  private let catalogue: URL
  private let remote: URL?
  private let parent: URL
  let style: Style
  let print: (String) -> Void

  /// Creates a demo.
  ///
  /// - Parameters:
  ///   - catalogue: the file to import.
  ///   - remote: a server to push to and pull from, if there is one.
  ///   - parent: the folder in which the temporary folder is created.
  ///   - style: the style of the output.
  ///   - print: the function that prints a line.
  package init(
    catalogue: URL, remote: URL?, in parent: URL = FileManager.default.temporaryDirectory, style: Style,
    print: @escaping (String) -> Void
  ) {
    self.catalogue = catalogue
    self.remote = remote
    self.parent = parent
    self.style = style
    self.print = print
  }

  /// Runs the demo.
  ///
  /// - Throws: the errors of the shop. The folder is removed in any case.
  package func run() async throws {
    let folder = parent.appending(path: "bookshop-demo-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }

    let directory = folder.appending(path: "bookshop.store")
    let shop = Shop(directory: directory, durability: .interval(.milliseconds(500)))
    try await importTwice(shop)
    try await browse(shop)
    try await edit(shop)
    try await shop.close()

    // Another store instance on the same folder, as in another run of the program.
    let later = Shop(directory: directory)
    let export = folder.appending(path: "export.json")
    try await exportAndImport(later, export, copy: folder.appending(path: "copy.store"))
    if let remote { try await pushAndPull(later, remote, copy: folder.appending(path: "pulled.store")) }
    try await later.close()
    try await synchronise(in: folder)
    print("")
    print("Done. The folder of the demo is removed again.")
  }

  private func importTwice(_ shop: Shop) async throws {
    let file = try CatalogueFile(contentsOf: catalogue)
    command("import --catalogue")
    show(try await shop.importCatalogue(file))
    command("import --catalogue", "again: no duplicates")
    ReportText(try await shop.importCatalogue(file)).summary.forEach(print)
  }

  private func browse(_ shop: Shop) async throws {
    command("list --author bronte")
    try await list(shop) { $0.author = "bronte" }
    command("list --tag sea --rating 4 --sort year --limit 5")
    try await list(shop) {
      $0.tags = ["sea"]
      $0.minimumRating = 4
      $0.order = .year
      $0.limit = 5
    }
    command("show 104")
    Details(style).lines(try await shop.book(104)).forEach(print)
  }

  private func edit(_ shop: Shop) async throws {
    let books = try await shop.books()
    let book = try await shop.book(104)
    let author = try await shop.author(1).author
    print("")
    print(style.bold("A window observes book 104 and author 1:"))
    let window = ShopWindow { print("  -> \($0)") }
    window.show(book)
    window.show(author)

    command("rate 104 4")
    _ = try await shop.rate(104, 4)
    command("rate 104 7")
    do {
      _ = try await shop.rate(104, 7)
    } catch let error as ShopError {
      print(style.red("Error: \(error)"))
    }
    command("tag 104 +classic -comedy")
    _ = try await shop.tag(104, [.add("classic"), .remove("comedy")])
    window.hide(book)
    command("remove 105")
    _ = try await shop.removeBook(105)
    // The books have to be live until here, so that the author's list has all of them.
    withExtendedLifetime((books, window)) {}
  }

  private func exportAndImport(_ shop: Shop, _ file: URL, copy: URL) async throws {
    command("export export.json")
    let (authors, books, _) = try await shop.export(to: file)
    print("\(authors) authors and \(books) books")
    command("import export.json --store copy.store")
    let other = Shop(directory: copy, durability: .interval(.milliseconds(500)))
    show(try await other.importCatalogue(CatalogueFile(contentsOf: file)))
    try await compare(shop, other)
    try await other.close()
  }

  private func pushAndPull(_ shop: Shop, _ remote: URL, copy: URL) async throws {
    command("push \(remote.absoluteString)")
    show(try await shop.push(to: remote))
    _ = try await shop.rate(101, 5)
    command("push \(remote.absoluteString)", "again, after 'rate 101 5'")
    show(try await shop.push(to: remote))
    command("pull \(remote.absoluteString) --store pulled.store")
    let other = Shop(directory: copy, durability: .interval(.milliseconds(500)))
    show(try await other.pull(from: remote))
    try await compare(shop, other)
    try await other.close()
  }

  // MARK: Output

  func command(_ command: String, _ remark: String? = nil) {
    print("")
    print(style.bold("$ bookshop \(command)") + (remark.map { style.dim("   # \($0)") } ?? ""))
  }

  private func list(_ shop: Shop, _ prepare: (inout BookQuery) -> Void) async throws {
    var query = BookQuery()
    prepare(&query)
    BookTable(style).lines(query(try await shop.books())).forEach(print)
  }

  func show(_ report: CatalogueReport) {
    let text = ReportText(report)
    text.rejections.forEach { print(style.red($0)) }
    text.summary.forEach(print)
  }

  /// Checks that a copy has all authors and books of the original, with equal values.
  func compare(_ original: Shop, _ copy: Shop) async throws {
    let authors = Set(try await copy.authors().map(\.dictionaryValue))
    let books = Set(try await copy.books().map(\.dictionaryValue))
    guard try await original.authors().allSatisfy({ authors.contains($0.dictionaryValue) }),
      try await original.books().allSatisfy({ books.contains($0.dictionaryValue) })
    else { throw ShopError.copyDiffers }
    print("The copy has every author and book with equal values.")
  }
}
