import StoreProtocol

extension ModelStoreContract {
  /// Returns a check that searches for words find the same models as plain Swift, after any writes and in any
  /// transaction.
  ///
  /// ```swift
  /// try await ModelStoreContract.randomSearches(100, seed: 7).run {
  ///   let store = MemoryModelStore()
  ///   try store.index(\ContractPerson.nickname, .text)
  ///   return store
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - count: the number of writes.
  ///   - seed: the seed of the random numbers. A violation reports it.
  public static func randomSearches(_ count: Int, seed: UInt64) -> Check {
    Check("random searches find what plain Swift finds", needs: [.queries, .transactions]) { store in
      let history = SearchHistory(seed: seed)
      for _ in 0..<count {
        try await history.write(in: store)
        try await history.search(in: store)
        if history.random.below(6) > 0 { continue }
        let (people, isKept) = (history.people, history.random.below(2) == 0)
        func write(_ store: any ModelStore) async throws {
          for _ in 0..<4 {
            try await history.write(in: store)
            try await history.search(in: store)
          }
        }
        if isKept {
          try await transaction(in: store) { try await write($0) }
        } else {
          try await failing(in: store) { try await write($0) }
          history.people = people
        }
        try await history.search(in: store)
      }
    }
  }
}

/// The people of random searches, as models of a store and as plain values.
private final class SearchHistory {
  struct Plain {
    let model: ContractPerson
    var nickname: String?
    var tags: [String]
  }

  var random: RandomSource
  /// In the order of their creation.
  var people: [Plain] = []
  private let seed: UInt64

  init(seed: UInt64) {
    self.seed = seed
    random = RandomSource(seed: seed)
  }

  private func text() -> String {
    let words = ["ada", "Bob", "cleo", "ÄDA", "adam", "bo", "b", "1", "12", "—", "Adam's"]
    let separator = random.pick([" ", "-", ", "])
    return (0..<random.below(4)).map { _ in random.pick(words) }.joined(separator: separator)
  }

  /// Creates, changes or deletes a person.
  func write(in store: any ModelStore) async throws {
    let nickname = random.below(5) == 0 ? nil : text()
    let tags = (0..<random.below(3)).map { _ in text() }
    let action = people.isEmpty ? 0 : random.below(4)
    if action < 2 {
      let person = ContractPerson.named("p")
      person.nickname.value = nickname
      person.tags.value = tags
      people.append(Plain(model: try await store.create(person), nickname: nickname, tags: tags))
      return
    }
    let number = random.below(people.count)
    if action == 2 {
      people[number].model.nickname.value = nickname
      people[number].model.tags.value = tags
      (people[number].nickname, people[number].tags) = (nickname, tags)
      _ = try await store.save(people[number].model)
    } else {
      try await store.delete(people.remove(at: number).model)
    }
  }

  /// Compares the matches of a random search with those of plain Swift.
  func search(in store: any ModelStore) async throws {
    let words = (0...random.below(2)).map { _ in
      random.pick(["ada", "bob", "a*", "b*", "1*", "12", "cl*", "ada*", "s", "*"])
    }
    let search = words.joined(separator: random.pick([" ", "+"]))
    let isAboutTags = random.below(2) == 0
    let query = ModelQuery(
      ContractPerson.self,
      where: { isAboutTags ? $0.tags.matches(words: search) : $0.nickname.matches(words: search) })
    let expected = people.filter { person in
      isAboutTags ? person.tags.contains { Self.has(words, $0) } : person.nickname.map { Self.has(words, $0) } ?? false
    }
    .map(\.model.id.value)
    try requireEqual(try await store.list(query).map(\.id.value), expected, "the matches of \(query), seed \(seed),")
    try requireEqual(try await store.count(query), expected.count, "the count of \(query), seed \(seed),")
  }

  private static func has(_ words: [String], _ text: String) -> Bool {
    let plain = String(text.lowercased().map { $0 == "ä" ? "a" : $0 })
    let found = plain.split { !$0.isLetter && !$0.isNumber }
    return words.allSatisfy { word in
      if word == "*" { return true }
      return found.contains { word.hasSuffix("*") ? $0.hasPrefix(word.dropLast()) : $0 == word }
    }
  }
}
