import Testing

@testable import RESTStore

@Suite struct `A scanner of server-sent events` {
  private func scan(_ text: String, parts: Int) -> (count: Int, scanner: EventScanner) {
    var (scanner, count, rest) = (EventScanner(), 0, Array(text.utf8)[...])
    while !rest.isEmpty {
      count += scanner.read(rest.prefix(parts))
      rest = rest.dropFirst(parts)
    }
    return (count, scanner)
  }

  @Test(arguments: ["\n", "\r\n", "\r"])
  func `Events are found wherever the parts of a stream end`(line: String) {
    let lines = [
      "\u{FEFF}id: 1", "data: a", "data: b", "", ": comment", "", "event: left", "data:c", "id: zwei", "", "",
    ]
    for parts in 1...40 {
      let (count, scanner) = scan(lines.joined(separator: line), parts: parts)
      #expect(count == 2 && scanner.lastIdentifier == "zwei", "parts of \(parts)")
    }
  }

  @Test func `An event without data is none, but its identifier counts`() {
    let (count, scanner) = scan("id: 7\n\nevent: updated\n\n", parts: 5)
    #expect(count == 0 && scanner.lastIdentifier == "7")
  }

  @Test func `The identifier of an incomplete event is dropped with it`() {
    var (_, scanner) = scan("id: 1\ndata: a\n\nid: 2\ndata: b\n", parts: 9)
    #expect(scanner.lastIdentifier == "1")
    scanner.restart()
    #expect(scanner.read(Array("data: c\n\n".utf8)) == 1)
    #expect(scanner.lastIdentifier == "1")
  }

  @Test func `An identifier with a null character, and a time that is no number, are ignored`() {
    let (_, scanner) = scan("id: 1\nretry: 70\n\nid: 2\u{0}\nretry: -5\nretry: 9s\nretry:\n\n", parts: 3)
    #expect(scanner.lastIdentifier == "1" && scanner.retryDelay == .milliseconds(70))
  }

  @Test func `A time that is too large is ignored`() {
    #expect(scan("retry: 99999999999999999999999\n\n", parts: 3).scanner.retryDelay == nil)
  }

  @Test func `Long data is counted, and a long identifier is ignored`() {
    let long = String(repeating: "x", count: 100_000)
    let (count, scanner) = scan("id: 1\ndata: \(long)\n\nid: \(long)\ndata: b\n\n", parts: 4_096)
    #expect(count == 2 && scanner.lastIdentifier == "1")
  }
}
