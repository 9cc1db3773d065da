// The names that samples in documentation comments use without declaring them. See `Scripts/check-samples --help`.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, NeverUseForceTry

public import FileStore
public import Foundation
public import ModelKit
public import RESTStore
public import SchemaKit
public import StoreProtocol
public import SyncStore

open class Person: Model {
  public enum Color: String, CaseIterable, Sendable { case red, green }

  public let id = Field<Int>()
  public let name = Field<String>()
  public let age = Field<Int>()
  public let email = Field<String>()
  public let color = EnumField<Color>()
  public let tags = Field<String>()*
  public let company = ModelField<Company>(foreignKey: true)
  open override var identifierField: AnyField? { id }
}

public final class Company: Model {
  public let id = Field<String>()
  public let name = Field<String>()
  public let employees = ModelField<Person>()*
  public override var identifierField: AnyField? { id }
}

public final class Author: Model {
  public let id = Field<Int>()
  public let name = Field<String>()
  public let books = ModelField<Book>()*
  public override var identifierField: AnyField? { id }
}

public final class Book: Model {
  public let id = Field<Int>()
  public let title = Field<String>()
  public let year = Field<Int>()
  public let rating = Field<Int>()
  public let price = Field<Decimal>()
  public let updatedAt = Field<Date>()
  public let owner = Field<String>()
  public let author = ModelField<Author>(inverse: \.books)
  public override var identifierField: AnyField? { id }
}

public final class Category: Model {
  public let name = Field<String>()
}

public final class Expense: Model {
  public let amount = Field<Decimal>()
  public let isPaid = Field<Bool>()
  public let category = ModelField<Category>(foreignKey: true)
}

public struct Receipt: Codable, Equatable, Sendable {
  public var pages: Int
  public var number: Int
}

public final class Invoice: Model {
  public let id = Field<Int>()
  public let receipt = Field<Receipt>()
  public override var identifierField: AnyField? { id }
}

public final class Line: Model {
  public let price = Field<Int>()
}

public final class Table {
  public func deleteRow(_ index: Int) {}
  public func insertRow(_ index: Int) {}
  public func moveRow(_ index: Int, _ newIndex: Int) {}
  public func reloadRow(_ index: Int) {}
}

public struct Sessions: Sendable {
  public func user(for header: String) async -> String? { nil }
}

#if SAMPLES_OF_FileStore
  @MainActor public let store = FileModelStore(directory: folder)
#elseif SAMPLES_OF_RESTStore
  @MainActor public let store = RESTModelStore(baseURL: url)
#elseif SAMPLES_OF_SyncStore
  @MainActor public let store = SyncModelStore(
    local: MemoryModelStore(), remote: MemoryModelStore(), types: [Person.self, Book.self])
#else
  @MainActor public let store = MemoryModelStore()
#endif
@MainActor public let person = Person()
@MainActor public let draft = Person()
@MainActor public let earlier = Person()
@MainActor public let company = Company()
@MainActor public let author = Author()
@MainActor public let book = Book()
@MainActor public let scope = ModelScope()
@MainActor public let query = ModelQuery(Person.self)
@MainActor public let table = Table()
@MainActor public let error = ModelStoreError(.invalid, "")
@MainActor public let router = RESTRouter()
@MainActor public var options = RESTOptions()
@MainActor public var schema = try! CoreDataSchema(contentsOf: url)
@MainActor public let json: AttributeDictionary = [:]
@MainActor public let data = Data()
@MainActor public let url = URL(filePath: "people.json")
@MainActor public let folder = URL(filePath: "people.store")
@MainActor public let token = "secret"
public let sessions = Sessions()
@MainActor public let password = "secret"
public func show(_ values: Any?...) {}
