import BookshopKit
import Foundation
import ModelKit
import Testing

@Suite struct `Formatted output` {
  private func book(_ record: AttributeDictionary) throws -> Book { try Book.from(dictionaryValue: record) }

  @Test func `Books are printed in aligned columns`() throws {
    let books = [
      try book(["book_id": 7, "title": "Émile", "price": 4, "currency": "EUR", "rating": 2, "tags": ["a", "b"]]),
      try book(["book_id": 1001, "title": "Z", "published": -400, "price": 12.5]),
    ]
    #expect(
      BookTable(Style(isColoured: false)).lines(books) == [
        "   7  Émile  ?        4.00 EUR  ★★☆☆☆  a, b", "1001  Z      ?  -400     12.50",
      ])
  }

  @Test func `Colours do not change the width of columns`() throws {
    let books = [try book(["book_id": 1, "title": "A", "rating": 5, "tags": ["x"]])]
    let coloured = BookTable(Style(isColoured: true)).lines(books)[0]
    #expect(coloured.contains("\u{1B}[1mA\u{1B}[0m"))
    #expect(
      coloured.replacing(/\u{1B}\[[0-9]+m/, with: "") == BookTable(Style(isColoured: false)).lines(books)[0])
  }

  @Test func `Output that is not a terminal has no colours`() {
    let pipe = Pipe()
    #expect(!Style(forStandardStream: pipe.fileHandleForWriting.fileDescriptor, environment: [:]).isColoured)
  }

  @Test(arguments: [("14.95", "14.95"), ("30", "30.00"), ("4.5", "4.50"), ("0", "0.00"), ("1.125", "1.125")])
  func `Prices have at least two decimal places`(price: String, text: String) throws {
    let book = Book()
    book.price.value = Decimal(string: price)
    #expect(book.priceText == text)
  }

  @Test func `A progress bar shows the progress on one line and erases it at the end`() {
    var written: [String] = []
    let progress = ValueSource(ShopProgress())
    let bar = ProgressBar("Importing") { written.append($0) }
    progress --> bar
    progress.value = ShopProgress(done: 500, total: 1_000, books: 12)
    progress.value = ShopProgress(done: 501, total: 1_000, books: 12)
    #expect(written == ["\rImporting [###############...............] 50 %  12 books"])
    progress.value = ShopProgress(done: 1_000, total: 1_000, books: 24)
    #expect(written.dropFirst().joined().filter { $0 != " " } == "\r\r")
    bar.clear()
    #expect(written.count == 3)
  }
}
