"""People, companies and plays behind Django REST framework on SQLite, as plain JSON and as JSON:API, for the tests of
RESTStore and SyncStore."""

import sys
import tempfile
import threading
from pathlib import Path

import django
from django.apps import AppConfig
from django.conf import settings
from django.urls import path


class People(AppConfig):
    name, label, path = __name__, "people", str(Path(__file__).parent)


FOLDER = tempfile.TemporaryDirectory(prefix="people-")
settings.configure(
    SECRET_KEY="for tests on the loopback interface only", ALLOWED_HOSTS=["127.0.0.1"], ROOT_URLCONF=__name__,
    USE_TZ=True, DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    INSTALLED_APPS=["django.contrib.contenttypes", "rest_framework", "rest_framework_json_api", "django_filters", f"{__name__}.People"],
    MIDDLEWARE=["django.middleware.http.ConditionalGetMiddleware"],
    LOGGING_CONFIG=None,
    DATABASES={"default": {
        "ENGINE": "django.db.backends.sqlite3", "NAME": Path(FOLDER.name) / "people.sqlite", "OPTIONS": {"timeout": 20}}},
    REST_FRAMEWORK={
        "EXCEPTION_HANDLER": "rest_framework_json_api.exceptions.exception_handler",
        "UNAUTHENTICATED_USER": None, "DEFAULT_AUTHENTICATION_CLASSES": [], "DEFAULT_PERMISSION_CLASSES": [],
        "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
        "DEFAULT_FILTER_BACKENDS": [
            "django_filters.rest_framework.DjangoFilterBackend", "rest_framework.filters.OrderingFilter"]})
django.setup()

from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler
from django.core.validators import ProhibitNullCharactersValidator
from django.core.wsgi import get_wsgi_application
from django.db import connection, models
from django.http import HttpResponse
from rest_framework import exceptions, pagination, routers, serializers, viewsets
from rest_framework_json_api import django_filters, filters, parsers, renderers
from rest_framework_json_api import pagination as json_api_pagination
from rest_framework_json_api import serializers as json_api_serializers
from rest_framework_json_api import views as json_api_views


class Named(models.Model):
    name = models.CharField(max_length=80, blank=True, null=True)

    class Meta:
        abstract = True
        app_label = "people"


class ContractCompany(Named):
    id = models.CharField(max_length=80, primary_key=True)


class ContractTeam(models.Model):
    id = models.CharField(max_length=80, primary_key=True)

    class Meta:
        app_label = "people"


class ContractMember(models.Model):
    team = models.ForeignKey(ContractTeam, models.CASCADE, null=True)

    class Meta:
        app_label = "people"


class ContractDebt(models.Model):
    team = models.ForeignKey(ContractTeam, models.PROTECT, null=True)

    class Meta:
        app_label = "people"


class ContractBill(models.Model):
    amount = models.DecimalField(max_digits=14, decimal_places=4, null=True)

    class Meta:
        app_label = "people"


class ContractPerson(Named):
    name = models.CharField(max_length=80)
    age = models.IntegerField(null=True)
    height = models.FloatField(null=True)
    isActive = models.BooleanField(null=True)
    tags = models.JSONField(null=True)
    color = models.CharField(max_length=20, null=True)
    birthday = models.DateField(null=True)
    joined = models.DateTimeField(null=True)
    names = models.JSONField(null=True)
    company = models.ForeignKey(ContractCompany, models.SET_NULL, null=True)


class Playwright(models.Model):
    name = models.CharField(max_length=80, null=True)

    class Meta:
        app_label = "people"


class Play(models.Model):
    title = models.CharField(max_length=80, null=True)
    acts = models.IntegerField(null=True)
    year = models.IntegerField(null=True)
    playwright = models.ForeignKey(Playwright, models.SET_NULL, null=True)
    changed = models.DateTimeField(auto_now=True)

    class Meta:
        app_label = "people"


CONTRACT = [ContractCompany, ContractTeam, ContractMember, ContractDebt, ContractBill, ContractPerson]
MODELS = CONTRACT + [Playwright, Play]
COMPARISONS = ["exact", "lt", "lte", "gt", "gte", "in", "isnull"]
FILTERS = {
    ContractPerson: {"name": COMPARISONS, "age": COMPARISONS, "joined": COMPARISONS, "company": ["exact"]},
    ContractBill: {"amount": COMPARISONS}, Play: {"changed": COMPARISONS}}
PAGES = {
    "": type("Pages", (pagination.PageNumberPagination,), {
        "page_size": 7, "page_size_query_param": "page_size", "max_page_size": 100}),
    "parts/": type("Parts", (pagination.LimitOffsetPagination,), {"default_limit": 7}),
    "cursor/": type("Cursor", (pagination.CursorPagination,), {"page_size": 7, "ordering": "id"})}


class Text(serializers.CharField):
    """Keeps every text as it is, also blanks around it and the character zero."""

    def __init__(self, **options):
        super().__init__(**{**options, "trim_whitespace": False})
        self.validators = [each for each in self.validators if not isinstance(each, ProhibitNullCharactersValidator)]


class Taken(exceptions.APIException):
    status_code, default_detail = 409, "The identifier is taken."


class JSONAPIPages(json_api_pagination.JsonApiPageNumberPagination):
    page_size, max_page_size = 7, 100


JSON_API = {
    "pagination_class": JSONAPIPages, "parser_classes": [parsers.JSONParser], "renderer_classes": [renderers.JSONRenderer],
    "filter_backends": [django_filters.DjangoFilterBackend, filters.OrderingFilter]}


def view_set(model, pages):
    """The collection of a model, in which a client may choose identifiers; as JSON:API without pages of its own."""
    key = serializers.IntegerField if isinstance(model._meta.pk, models.AutoField) else serializers.CharField
    base = serializers.ModelSerializer if pages else json_api_serializers.ModelSerializer
    serializer = type(f"{model.__name__}Serializer", (base,), {
        "serializer_field_mapping": {**base.serializer_field_mapping, models.CharField: Text},
        "included_serializers": {} if pages or model is not ContractPerson else {"company": JSON_API_COMPANIES},
        "id": key(required=False), "Meta": type("Meta", (), {"model": model, "fields": "__all__"})})

    def create(self, request, *arguments, **options):
        if model.objects.filter(pk=request.data.get("id")).exists():
            raise Taken
        return viewsets.ModelViewSet.create(self, request, *arguments, **options)

    filters = FILTERS.get(model, [])
    return type(f"{model.__name__}View", (viewsets.ModelViewSet if pages else json_api_views.ModelViewSet,), {
        "queryset": model.objects.order_by("pk"), "serializer_class": serializer,
        "filterset_fields": filters, "ordering_fields": "__all__", "create": create,
        **({"pagination_class": pages} if pages else JSON_API)})


def reset(request):
    for model in reversed(CONTRACT):
        model.objects.all().delete()
    return HttpResponse(status=204)


PATHS = {ContractPerson: "contract_people", ContractCompany: "contract_companies", ContractTeam: "contract_teams",
         ContractMember: "contract_members", ContractDebt: "contract_debts",
         ContractBill: "contract_bills", Playwright: "playwrights", Play: "plays"}
for model in MODELS:
    model.JSONAPIMeta = type("JSONAPIMeta", (), {"resource_name": PATHS[model]})
JSON_API_COMPANIES = view_set(ContractCompany, None).serializer_class
urlpatterns = [path("reset", reset)]
for prefix, pages in [*PAGES.items(), ("jsonapi/", None)]:
    router = routers.DefaultRouter(trailing_slash=pages is not None)
    for model in MODELS:
        router.register(prefix + PATHS[model], view_set(model, pages), basename=prefix + model.__name__)
    urlpatterns += router.urls


class Handler(WSGIRequestHandler):
    def log_message(self, *arguments):
        pass


with connection.schema_editor() as editor:
    for model in MODELS:
        editor.create_model(model)
server = ThreadedWSGIServer(("127.0.0.1", 0), Handler)
server.set_app(get_wsgi_application())
threading.Thread(target=server.serve_forever, daemon=True).start()
print(f"listening on http://127.0.0.1:{server.server_port}", flush=True)
while sys.stdin.buffer.read1(4096):
    pass
FOLDER.cleanup()
