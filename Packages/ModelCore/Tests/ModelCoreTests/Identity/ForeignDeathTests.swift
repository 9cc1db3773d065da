import Foundation
@_spi(ModelKitInternals) import ModelCore
import Testing

private final class Point: Model {
  let id = Field<Int>()
  override var identifierField: AnyField? { id }
}

private final class Label: Model {
  let slug = Field<String>()
  override var identifierField: AnyField? { slug }
}

/// References to be released by another thread.
///
/// They stand for a closure of an actor that captured a model of that actor and is released in any thread. Unchecked,
/// because that thread only releases the references, which is atomic.
private final class Grave: @unchecked Sendable {
  private let condition = NSCondition()
  private var references: [AnyObject] = []
  private var isClosed = false
  private let isDone = DispatchSemaphore(value: 0)

  init() {
    Thread.detachNewThread { [self] in
      while true {
        condition.lock()
        while references.isEmpty, !isClosed { condition.wait() }
        var taken: [AnyObject] = []
        swap(&taken, &references)
        let isLast = taken.isEmpty
        condition.unlock()
        if isLast { break }
        taken = []
      }
      isDone.signal()
    }
  }

  func take(_ reference: AnyObject) {
    condition.lock()
    references.append(reference)
    condition.signal()
    condition.unlock()
  }

  /// Returns when all references were released.
  func close() {
    condition.lock()
    isClosed = true
    condition.signal()
    condition.unlock()
    isDone.wait()
  }
}

@Suite struct `A model released in another thread` {
  /// Looks models up while they may be in deallocation, and creates new ones in their place.
  private func race<M: Model>(_ type: M.Type, identifiers: Int, rounds: Int) {
    let scope = ModelScope()
    let grave = Grave()
    for round in 0..<rounds {
      let identifier = "\(round % identifiers)"
      do {
        let model = M.with(identifier: identifier, in: scope)
        #expect(model.identifier == identifier)
        grave.take(model)
      }
      // The other thread may hold the last reference now, or be releasing it.
      for _ in 0..<4 {
        guard let found = scope.liveModel(M.self, identifier: identifier) else { continue }
        if found.identifier != identifier { Issue.record("\(identifier) has another model") }
      }
    }
    grave.close()
    for number in 0..<identifiers { #expect(scope.liveModel(M.self, identifier: "\(number)") == nil) }
  }

  @Test func `A model that another thread releases is found by number until then, and not after`() {
    race(Point.self, identifiers: 3, rounds: 20_000)
  }

  @Test func `A model that another thread releases is found in a changing table until then`() {
    race(Point.self, identifiers: 997, rounds: 20_000)
  }

  @Test func `A model that another thread releases is found by text until then, and not after`() {
    race(Label.self, identifiers: 3, rounds: 5_000)
  }

  @Test func `A model that another thread releases does not remove its successor from the registry`() throws {
    let scope = ModelScope()
    let grave = Grave()
    var last: Point?
    for _ in 0..<5_000 {
      let model = Point.with(identifier: "1", in: scope)
      grave.take(model)
      last = model
      if let known = last, scope.liveModel(Point.self, identifier: "1") !== known {
        Issue.record("the retained model was removed")
      }
      last = nil
    }
    let held = Point.with(identifier: "1", in: scope)
    grave.close()
    #expect(scope.liveModel(Point.self, identifier: "1") === held)
    withExtendedLifetime(last) {}
  }

  @Test func `A model that another thread releases removes its aliases`() throws {
    let scope = ModelScope()
    let grave = Grave()
    for number in 0..<500 {
      let model = try Point.from(dictionaryValue: ["id": .int(-1 - number)], in: scope)
      try scope.staged(["id": .int(number + 1)], into: model)()
      #expect(scope.liveModel(Point.self, identifier: "\(-1 - number)") === model)
      grave.take(model)
    }
    grave.close()
    for number in 0..<500 {
      #expect(scope.liveModel(Point.self, identifier: "\(-1 - number)") == nil)
      #expect(scope.liveModel(Point.self, identifier: "\(number + 1)") == nil)
    }
  }
}
