import ModelKit

actor Worker {
  let count = Field<Int>()

  func show(_ other: Field<Int>) { count --> other }
}

@MainActor
final class Screen {
  let count = Field<Int>()
  let worker = Worker()

  func bind() async {
    await worker.show(count)  // error: sending 'self.count' risks causing data races
  }
}
