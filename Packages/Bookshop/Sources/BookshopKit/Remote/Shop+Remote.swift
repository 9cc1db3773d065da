package import Foundation
import ModelKit

extension Shop {
  /// Creates the models that a server lacks, and updates those that differ. Nothing is deleted there.
  ///
  /// - Throws: the errors of the server. Models sent before the error are kept there.
  package func push(to url: URL) async throws -> CatalogueReport { try await push(to: Self.remote(at: url)) }

  func push(to remote: any ModelStore) async throws -> CatalogueReport {
    let authors = try await authors()
    let books = try await store.list(Book.self)
    var meter = Meter(progress, total: authors.count + books.count)
    var report = CatalogueReport()
    report.authors = try await push(authors, to: remote, &meter)
    report.books = try await push(books, to: remote, &meter)
    return report
  }

  private func push<M: Model>(
    _ models: [M], to remote: any ModelStore, _ meter: inout Meter
  ) async throws -> MergeCounts {
    let known = Dictionary(try await remote.list(M.self).map { ($0.identifier, $0) }) { first, _ in first }
    let merger = StockMerger(store: remote)
    var counts = MergeCounts()
    for model in models {
      if let there = known[model.identifier] {
        counts += try await merger.update(there, from: model)
      } else {
        _ = try await remote.create(model.detached())
        counts.added += 1
      }
      meter.step()
    }
    return counts
  }

  /// Creates the models of a server that the store lacks, and updates those that differ. Nothing is deleted.
  ///
  /// - Throws: the errors of the server or the store. Models written before the error are kept.
  package func pull(from url: URL) async throws -> CatalogueReport { try await pull(from: Self.remote(at: url)) }

  func pull(from remote: any ModelStore) async throws -> CatalogueReport {
    let authors = try await remote.list(Author.self)
    let books = try await remote.list(Book.self)
    var meter = Meter(progress, total: authors.count + books.count)
    var report = CatalogueReport()
    try await pull(authors, \.authors, &report, &meter) { _ in nil }
    let known = Set(try await self.authors().compactMap(\.id.value))
    try await pull(books, \.books, &report, &meter) { book in
      guard let author = book.author.value?.id.value else { return "author_id is required" }
      return known.contains(author) ? nil : "author_id: there is no author \(author)"
    }
    return report
  }

  private func pull<M: Model>(
    _ models: [M], _ counts: WritableKeyPath<CatalogueReport, MergeCounts>, _ report: inout CatalogueReport,
    _ meter: inout Meter, objection: (M) -> String?
  ) async throws {
    let merger = StockMerger(store: store)
    var batch: [M] = []
    for (index, model) in models.enumerated() {
      let model = try model.detached()
      let place = FieldPath([.key(M.typeName), .key(model.identifier ?? "?")])
      if !model.validate().isValid {
        report.reject(counts, Rejection(at: place, model.validationErrors))
      } else if let objection = objection(model) {
        report.reject(counts, Rejection(at: place, ["\(place).\(objection)"]))
      } else {
        batch.append(model)
      }
      if batch.count == 500 || index == models.count - 1, !batch.isEmpty {
        report[keyPath: counts] += try await merger.put(batch)
        batch = []
      }
      meter.step()
    }
  }

  /// Returns the store of a server, which is a `RESTService` with a change log: see ``ShopServer``.
  static func remote(at url: URL, transport: any HTTPTransport = URLSessionTransport.shared) -> RESTModelStore {
    var options = RESTOptions()
    options.idempotencyKeyHeader = "Idempotency-Key"
    let dialect = JSONDialect(paging: .linked, sendsQueries: true, changesParameter: "updated_since")
    return RESTModelStore(baseURL: url, dialect: dialect, transport: transport, options: options)
  }
}

/// A step counter that reports progress at intervals.
private struct Meter {
  private let progress: ValueSource<ShopProgress>
  private let total: Int
  private var done = 0

  init(_ progress: ValueSource<ShopProgress>, total: Int) {
    self.progress = progress
    self.total = total
    progress.value = ShopProgress(total: total)
  }

  mutating func step() {
    done += 1
    if done.isMultiple(of: 10) || done == total { progress.value = ShopProgress(done: done, total: total) }
  }
}
