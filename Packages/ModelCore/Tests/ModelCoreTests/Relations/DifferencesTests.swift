import ModelCore
import Testing

@Suite struct `The differences of two lists` {
  private let books = (0..<6).map { Book(title: "\($0)") }

  private func describe(_ old: [Int], _ new: [Int]) -> String {
    let differences = Author().books.differences(from: old.map { books[$0] }, to: new.map { books[$0] })
    let inserted = differences.inserted.map { "+\($0.model.title.value ?? "")@\($0.index)" }
    let removed = differences.removed.map { "-\($0.model.title.value ?? "")@\($0.index)" }
    let moved = differences.moved.map { "\($0.model.title.value ?? ""):\($0.oldIndex)>\($0.newIndex)" }
    return (inserted + removed + moved).joined(separator: " ")
  }

  @Test func `The differences of two lists are the inserted, removed and moved models`() {
    #expect(describe([0, 1, 2], [0, 1, 2]) == "")
    #expect(describe([], [0, 1]) == "+0@0 +1@1")
    #expect(describe([0, 1, 2], [0, 2]) == "-1@1")
    #expect(describe([0, 1], [0, 2, 1]) == "+2@1")
    #expect(describe([0, 1, 2, 3], [3, 0, 1, 2]) == "3:3>0")
    #expect(describe([0, 1, 2], [1, 2, 0]) == "0:0>2")
    #expect(describe([0, 1, 2], [4, 2, 0]) == "+4@0 -1@1 2:2>1")
  }

  @Test func `The differences of two lists convert the old list into the new one`() {
    var generator = SeededGenerator(seed: 11)
    for _ in 0..<500 {
      let old = Array(0..<6).shuffled(using: &generator).prefix(Int.random(in: 0...6, using: &generator))
      let new = Array(0..<6).shuffled(using: &generator).prefix(Int.random(in: 0...6, using: &generator))
      let differences = Author().books.differences(from: old.map { books[$0] }, to: new.map { books[$0] })
      var list = old.map { books[$0] }
      let leaving = differences.removed.map(\.index) + differences.moved.map(\.oldIndex)
      for index in leaving.sorted(by: >) { list.remove(at: index) }
      let coming =
        differences.inserted.map { ($0.index, $0.model) } + differences.moved.map { ($0.newIndex, $0.model) }
      for (index, model) in coming.sorted(by: { $0.0 < $1.0 }) { list.insert(model, at: index) }
      #expect(list == new.map { books[$0] }, "\(old) to \(new)")
    }
  }

  @Test func `The differences of two lists are sent to observers, with both values`() {
    let ada = Author(name: "Ada")
    ada.books.add(books[0])
    var log: [String] = []
    ada.books.addObserver { old, new, differences in
      log.append("\(old?.count ?? 0) \(new?.count ?? 0) +\(differences.inserted.count) -\(differences.removed.count)")
    }
    books[1].author.value = ada
    ada.books.add(contentsOf: [books[2], books[1], books[3]])
    ada.books.remove(contentsOf: [books[0], books[2], books[5]])
    ada.books.removeAll()
    #expect(log == ["1 1 +1 -0", "1 2 +1 -0", "2 4 +2 -0", "4 2 +0 -2", "2 0 +0 -2"])
  }
}
