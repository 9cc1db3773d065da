import ModelKit

actor Worker {
  let count = Field<Int>()
}

@MainActor
final class Screen {
  let count = Field<Int>()
  let worker = Worker()

  func observe() async {
    let field = await worker.count  // error: non-Sendable type 'Field<Int>'
    field --> count
  }
}
