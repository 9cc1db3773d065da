import ModelCore
import Testing

private final class Invoice: Model {
  @Field var id: Int?
  @Field var price: Int?
  @Field var count: Int?
  @Field var total: Int?
  @Field var isLarge: Bool?
  @ModelField(foreignKey: true) var payer: Payer?
  @Field var payerName: String?
  override var identifierField: AnyField? { $id }

  required init() {
    super.init()
    $price.combineLatest($count) { ($0 ?? 0) * ($1 ?? 0) } --> $total
    $total --> { $0.map { $0 > 100 } } --> $isLarge
    $payer --> { $0?.name } --> $payerName
  }
}

private final class Payer: Model {
  @Field var id: Int?
  @Field var name: String?
  override var identifierField: AnyField? { $id }
}

@Suite struct `Undoing edits of bindings and other observers` {
  private let scope = ModelScope()

  private func invoice(payerName: String = "Ada") throws -> Invoice {
    try Invoice.from(
      dictionaryValue: [
        "id": 1, "price": 10, "count": 2, "total": 20, "isLarge": false, "payer": ["id": 1, "name": "Ada"],
        "payerName": .string(payerName),
      ], in: scope)
  }

  @Test func `Fields that bindings derive from an edited field are part of its step`() throws {
    let invoice = try invoice()
    #expect(!invoice.isDirty)
    let undo = ModelUndo(scope)
    invoice.price = 100
    invoice.count = 3
    #expect(invoice.total == 300 && invoice.isLarge == true)
    try undo.undo()
    #expect(invoice.count == 2 && invoice.total == 200 && invoice.isLarge == true)
    try undo.undo()
    #expect(invoice.price == 10 && invoice.total == 20 && invoice.isLarge == false)
    #expect(!undo.canUndo && !invoice.isDirty)
    try undo.redo()
    #expect(invoice.price == 100 && invoice.total == 200 && invoice.isLarge == true)
    #expect(undo.canRedo)
  }

  @Test func `A field that is derived from a relation is part of the step that changes the relation`() throws {
    let invoice = try invoice()
    let undo = ModelUndo(scope)
    let bob = try Payer.from(dictionaryValue: ["id": 2, "name": "Bob"], in: scope)
    invoice.payer = bob
    #expect(invoice.payerName == "Bob")
    try undo.undo()
    #expect(invoice.payer?.name == "Ada" && invoice.payerName == "Ada")
    #expect(!undo.canUndo)
  }

  @Test func `Edits of an observer of an edit are part of its step, and later edits are not`() throws {
    let first = try invoice()
    let other = try Invoice.from(dictionaryValue: ["id": 2, "price": 1, "count": 10, "total": 10], in: scope)
    let undo = ModelUndo(scope)
    let token = first.$price.addObserver(updateImmediately: false) { (price: Int?) in other.count = price }
    first.price = 7
    #expect(other.count == 7 && other.total == 7)
    first.count = 4
    try undo.undo()
    #expect(first.count == 2 && other.count == 7)
    try undo.undo()
    #expect(first.price == 10 && other.count == 10)
    #expect(!undo.canUndo)
    token.cancel()
  }

  @Test func `Edits of an observer of a transaction are part of its step`() throws {
    let invoice = try invoice(payerName: "10")
    let undo = ModelUndo(scope)
    let token = invoice.$price.addObserver(updateImmediately: false) { (price: Int?) in
      invoice.payerName = "\(price ?? 0)"
    }
    transaction {
      invoice.price = 1
      invoice.count = 1
    }
    #expect(invoice.payerName == "1")
    try undo.undo()
    #expect(invoice.price == 10 && invoice.count == 2 && invoice.payerName == "10")
    #expect(!undo.canUndo)
    token.cancel()
  }
}
