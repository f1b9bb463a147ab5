# SPDX-License-Identifier: Apache-2.0
"""The shared library: its structs and functions, as in the headers of include/millrace.

tests/test_layout.py compares every struct below with what a C compiler makes of the headers.
"""

import ctypes
import os
from ctypes import (
    CFUNCTYPE, POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_float, c_int, c_size_t,
    c_uint, c_uint8, c_uint32, c_uint64, c_void_p)

from ._values import Needed, to_c

SONAME = "libmillrace.so.0.2"

OK, RUNTIME, USAGE, INPUT, CORRUPT, BUDGET, NOT_CONVERGED, INTERRUPTED = range(8)
LOCATION_NONE, LOCATION_LINE, LOCATION_OFFSET = range(3)
MAX_TEXT = 2048
SCORE_TYPES = (c_double, c_float, c_uint32, c_uint8)  # by enum mr_score_type
NAMES_TEXT = 2  # MR_NAMES_TEXT
HALF_UNKNOWN = 1 << 63 | 50_000_000  # MR_UNKNOWN_PERCENT(50)
LEVEL_OF_STORE = -2  # MR_ZSTD_LEVEL_OF_STORE


class Error(Structure):
    _c_name = "mr_error"
    _fields_ = [
        ("status", c_int), ("os_errno", c_int), ("location_kind", c_int), ("position", c_uint64),
        ("file", c_char * 512), ("message", c_char * 768)]


class Checked(Structure):
    """A struct that callers fill."""

    def __setattr__(self, name, value):
        super().__setattr__(name, to_c(dict(self._fields_)[name], value, name))
        self.__dict__[name] = value  # lives as long as the struct, which may have its address


class Sized(Checked):
    """A struct that begins with its size. Keyword arguments set the other fields."""

    def __init__(self, **fields):
        super().__init__(struct_size=ctypes.sizeof(type(self)), **fields)

    def to_dict(self):
        """The fields behind the size."""
        return {name: getattr(self, name) for name, _ in self._fields_[1:]}


class Progress(Structure):
    _c_name = "mr_progress"
    _fields_ = [
        ("stage", c_char_p), ("done", c_uint64), ("total", c_uint64), ("unit", c_char_p),
        ("edges", c_uint64), ("bytes", c_uint64), ("passes", c_uint), ("error_bound", c_double),
        ("detail", c_char_p)]


PROGRESS = CFUNCTYPE(None, c_void_p, POINTER(Progress))
NOTE = CFUNCTYPE(None, c_void_p, c_char_p)
EDGES = CFUNCTYPE(
    c_int, c_void_p, c_void_p, c_void_p, c_size_t, POINTER(c_size_t), POINTER(Error))


class ContextOptions(Sized):
    _c_name = "mr_context_options"
    _fields_ = [
        ("struct_size", c_size_t), ("memory_bytes", c_uint64), ("threads", c_uint),
        ("tmp_dir", c_char_p), ("progress", PROGRESS), ("progress_data", c_void_p),
        ("note", NOTE), ("note_data", c_void_p)]


class BuildOptions(Sized):
    _c_name = "mr_store_build_options"
    _fields_ = [
        ("struct_size", c_size_t), ("force", c_bool), ("undirected", c_bool),
        ("keep_duplicates", c_bool), ("drop_self_loops", c_bool), ("transpose", c_bool),
        ("n_vertices", c_uint64), ("profile", c_char_p), ("profile_rules", c_char_p),
        ("class_rule", c_int), ("zstd_level", c_int),
        ("format", c_char_p), ("columns", c_char_p), ("weights", c_int),
        ("vertex_list", c_char_p), ("skip_bad_lines", c_bool), ("max_bad_lines", c_uint64),
        ("directed", c_bool), ("encoding", c_int)]


class BuildFigures(Sized):
    _c_name = "mr_store_build_figures"
    _fields_ = [
        ("struct_size", c_size_t), ("input_edges", c_uint64), ("dropped_self_loops", c_uint64),
        ("self_loops", c_uint64), ("older_links", c_uint64), ("duplicates", c_uint64),
        ("n_vertices", c_uint64), ("n_edges", c_uint64), ("class_rule", c_int),
        ("internal_edges", c_uint64), ("n_dangling", c_uint64), ("facts_id", c_uint64),
        ("store_bytes", c_uint64), ("links_bytes", c_uint64), ("spellings_left_out", c_uint64),
        ("temporary_bytes", c_uint64), ("bad_lines", c_uint64), ("n_alone", c_uint64),
        ("n_edges_alone", c_uint64), ("seconds", c_double), ("seconds_spool", c_double),
        ("seconds_number", c_double), ("seconds_partition", c_double), ("seconds_encode", c_double)]


class AppendOptions(Sized):
    _c_name = "mr_store_append_options"
    _fields_ = [
        ("struct_size", c_size_t), ("replace", c_bool), ("drop_unlinked", c_bool),
        ("gone", POINTER(c_char_p)), ("n_gone", c_size_t), ("seeds", POINTER(c_char_p)),
        ("n_seeds", c_size_t), ("max_unknown", c_uint64), ("reading", POINTER(BuildOptions)),
        ("without", POINTER(c_char_p)), ("n_without", c_size_t), ("to", c_char_p)]


class AppendFigures(Sized):
    _c_name = "mr_store_append_figures"
    _fields_ = [
        ("struct_size", c_size_t), ("n_links", c_uint64), ("n_known", c_uint64),
        ("n_new_links", c_uint64), ("n_new_vertices", c_uint64), ("n_kept", c_uint64),
        ("n_removed", c_uint64), ("n_replaced", c_uint64), ("n_gone", c_uint64),
        ("n_dropped", c_uint64), ("n_respelled", c_uint64), ("n_vertices", c_uint64),
        ("n_edges", c_uint64), ("n_dangling", c_uint64), ("store_bytes", c_uint64),
        ("seconds", c_double), ("input_edges", c_uint64), ("bad_lines", c_uint64)]


class FoldOptions(Sized):
    _c_name = "mr_store_fold_options"
    _fields_ = [
        ("struct_size", c_size_t), ("by", c_int), ("weights", c_int), ("keep_self_loops", c_bool),
        ("force", c_bool), ("zstd_level", c_int), ("members", c_char_p), ("encoding", c_int)]


class MemoryEdges(Sized):
    _c_name = "mr_memory_edges"
    _fields_ = [
        ("struct_size", c_size_t), ("n_edges", c_uint64), ("sources", c_void_p),
        ("targets", c_void_p), ("weights", c_void_p), ("names", POINTER(c_char_p)),
        ("n_names", c_uint64), ("next", EDGES), ("next_data", c_void_p), ("stream", c_void_p)]


class ExportOptions(Sized):
    _c_name = "mr_store_export_options"
    _fields_ = [
        ("struct_size", c_size_t), ("force", c_bool), ("no_weights", c_bool), ("reversed", c_bool),
        ("largest", c_int), ("host", c_char_p), ("vertices", c_void_p), ("n_vertices", c_uint64),
        ("format", c_char_p), ("names", c_char_p), ("scores", c_void_p), ("seeds", c_void_p),
        ("n_seeds", c_uint64), ("window", c_uint64), ("max_references", c_uint64)]


class ReportOptions(Sized):
    _c_name = "mr_store_report_options"
    _fields_ = [
        ("struct_size", c_size_t), ("force", c_bool), ("components", c_bool), ("top", c_uint),
        ("scores", POINTER(c_char_p)), ("n_scores", c_uint), ("good_share", c_double),
        ("passes", c_char_p), ("charts", c_char_p), ("command", POINTER(c_char_p)),
        ("n_command", c_size_t), ("since", c_char_p)]


class StoreFigures(Sized):
    _c_name = "mr_store_figures"
    _fields_ = [
        ("struct_size", c_size_t), ("n_vertices", c_uint64), ("n_edges", c_uint64),
        ("n_dangling", c_uint64), ("n_self_loops", c_uint64), ("max_out_degree", c_uint64),
        ("max_in_degree", c_uint64), ("bytes", c_uint64), ("store_id", c_uint64),
        ("n_classes", c_uint32), ("class_rule", c_int),
        ("name_kind", c_int), ("undirected", c_bool), ("duplicates_kept", c_bool),
        ("self_loops_dropped", c_bool), ("transposed", c_bool), ("has_weights", c_bool),
        ("is_weighted", c_bool)]


class VertexWeight(Structure):
    _c_name = "mr_vertex_weight"
    _fields_ = [("vertex", c_uint32), ("weight", c_double)]


class RankVector(Structure):
    _c_name = "mr_rank_vector"
    _fields_ = [("name", c_char_p), ("pages", c_void_p), ("count", c_uint64)]


class PushOptions(Sized):
    _c_name = "mr_push_options"
    _fields_ = [("struct_size", c_size_t), ("damping", c_double), ("dangling", c_char_p)]


class PushAnswer(Structure):
    _c_name = "mr_push_answer"
    _fields_ = [("n", c_uint64), ("bound", c_double), ("proven", c_bool)]


class RankingFigures(Sized):
    _c_name = "mr_ranking_figures"
    _fields_ = [
        ("struct_size", c_size_t), ("n_vertices", c_uint64), ("converged", c_bool),
        ("bound_kind", c_int), ("error_bound", c_double), ("tolerance", c_double),
        ("residual", c_double), ("rounding_bound", c_double), ("change", c_double),
        ("eigenvalue", c_double), ("passes", c_uint), ("rounds", c_uint64),
        ("bytes_read", c_uint64), ("seconds", c_double), ("proven_until", c_bool)]




class RankColumn(Structure):
    _c_name = "mr_rank_column"
    _fields_ = [("name", c_char_p), ("needs", c_char_p), ("excludes", c_char_p), ("is_label", c_bool)]


class RankOption(Structure):
    _c_name = "mr_rank_option"
    _fields_ = [
        ("name", c_char_p), ("type", c_int), ("offset", c_size_t), ("value", c_char_p), ("help", c_char_p),
        ("choices", c_char_p), ("usual", c_double), ("least", c_double), ("most", c_double),
        ("above_least", c_bool), ("below_most", c_bool), ("often", c_bool), ("excludes", c_char_p), ("why", c_char_p),
        ("needs", c_char_p), ("also", c_char_p)]


class RankFigure(Structure):
    _c_name = "mr_rank_figure"
    _fields_ = [
        ("name", c_char_p), ("type", c_int), ("offset", c_size_t), ("help", c_char_p), ("words", c_void_p),
        ("needs", c_char_p), ("excludes", c_char_p), ("part", c_char_p), ("fields", c_void_p),
        ("record_bytes", c_size_t)]


class NamedValue(Structure):
    _c_name = "mr_named_value"
    _fields_ = [
        ("name", c_char_p), ("real", c_double), ("count", c_uint64), ("text", c_char_p), ("pages", c_void_p),
        ("vertices", c_void_p), ("reals", POINTER(c_double)), ("records", c_void_p),
        ("store", c_void_p), ("vectors", c_void_p)]


class RankingKind(Structure):
    _c_name = "mr_ranking_kind"
    _fields_ = [
        ("name", c_char_p), ("summary", c_char_p), ("text", c_char_p), ("examples", c_char_p),
        ("columns", POINTER(RankColumn)), ("n_written", c_uint), ("takes_weights", c_bool),
        ("weighs_classes", c_bool), ("needs", c_char_p), ("options", POINTER(RankOption)), ("figures", POINTER(RankFigure)), ("work", c_void_p)]


class ScoreColumn(Structure):
    _c_name = "mr_score_column"
    _fields_ = [("name", c_char_p), ("type", c_int), ("values", c_void_p), ("words", POINTER(c_char_p))]


class ScoresOptions(Sized):
    _c_name = "mr_scores_options"
    _fields_ = [
        ("struct_size", c_size_t), ("force", c_bool), ("header", c_bool), ("only_top", c_bool),
        ("top", c_uint64), ("top_column", c_uint), ("originals", c_bool), ("chosen", c_void_p),
        ("only_names", c_bool), ("mark", c_bool), ("metadata", c_char_p), ("error_bound", c_double)]


class ScoresFound(Structure):
    _c_name = "mr_scores_found"
    _fields_ = [("n_found", c_uint64), ("n_unknown", c_uint64)]


class CompareOptions(Sized):
    _c_name = "mr_compare_options"
    _fields_ = [("struct_size", c_size_t), ("missing_is_zero", c_bool), ("top", c_uint64)]


class CompareFigures(Sized):
    _c_name = "mr_compare_figures"
    _fields_ = [
        ("struct_size", c_size_t), ("n_a", c_uint64), ("n_b", c_uint64), ("n_common", c_uint64),
        ("n_compared", c_uint64), ("n_different", c_uint64), ("kendall_tau", c_double),
        ("spearman_rho", c_double), ("l1", c_double), ("l_infinity", c_double), ("top", c_uint64),
        ("top_common", c_uint64), ("by_row", c_bool), ("sum_a", c_double), ("sum_b", c_double)]


class ScoresSide(Checked):
    _c_name = "mr_scores_side"
    _fields_ = [
        ("path", c_char_p), ("column", c_char_p), ("scores", c_void_p), ("n_vertices", c_uint64), ("bound", c_double),
        ("total", c_double), ("adds_up", c_bool)]


class ChangesOptions(Sized):
    _c_name = "mr_changes_options"
    _fields_ = [("struct_size", c_size_t), ("top", c_uint64), ("shares", c_bool), ("hosts", c_bool)]


class RankedScore(Structure):
    _c_name = "mr_ranked_score"
    _fields_ = [("score", c_double), ("rank", c_uint64), ("best", c_uint64), ("worst", c_uint64)]


class Change(Structure):
    _c_name = "mr_change"
    _fields_ = [("name", c_void_p), ("name_bytes", c_size_t), ("number", c_uint64), ("before", RankedScore), ("after", RankedScore)]


class ChangeList(Structure):
    _c_name = "mr_change_list"
    _fields_ = [("rows", POINTER(Change)), ("n_rows", c_uint64), ("n", c_uint64)]


class Changes(Structure):
    _c_name = "mr_changes"
    _fields_ = [
        ("lists", ChangeList * 4 * 2), ("n_before", c_uint64), ("n_after", c_uint64),
        ("n_common", c_uint64), ("bound_before", c_double), ("bound_after", c_double), ("memory", c_void_p)]


class CertifyOptions(Sized):
    _c_name = "mr_certify_options"
    _fields_ = [
        ("struct_size", c_size_t), ("damping", c_double), ("top", c_uint64),
        ("teleport", c_void_p), ("n_teleport", c_uint64), ("is_uniform", c_bool), ("max_unknown", c_uint64)]


class CertifyFigures(Sized):
    _c_name = "mr_certify_figures"
    _fields_ = [
        ("struct_size", c_size_t), ("score_sum", c_double), ("error_bound", c_double),
        ("residual", c_double), ("rounding_bound", c_double), ("top", c_uint64),
        ("top_proven", c_uint64), ("order_proven", c_uint64), ("n_found", c_uint64), ("n_unknown", c_uint64)]


class CertifyHarmonicFigures(Sized):
    _c_name = "mr_certify_harmonic_figures"
    _fields_ = [
        ("struct_size", c_size_t), ("sample", c_uint64), ("n_unreached", c_uint64),
        ("within_1", c_uint64), ("within_2", c_uint64), ("within_3", c_uint64),
        ("mean_error", c_double), ("mean_signed_error", c_double), ("largest_error", c_double),
        ("largest_vertex", c_uint32)]


class VertexFacts(Sized):
    _c_name = "mr_vertex_facts"
    _fields_ = [
        ("struct_size", c_size_t), ("position", c_uint32), ("in_degree", c_uint32),
        ("out_degree", c_uint32), ("n_fetches", c_uint32), ("first_fetch", c_uint32),
        ("last_fetch", c_uint32), ("n_compared", c_uint32), ("n_changes", c_uint32),
        ("is_gone", c_bool)]


class VertexEdge(Structure):
    _c_name = "mr_vertex_edge"
    _fields_ = [("vertex", c_uint32), ("position", c_uint32), ("weight", c_float)]


class VertexEdges(Structure):
    _c_name = "mr_vertex_edges"
    _fields_ = [("items", POINTER(VertexEdge)), ("n_items", c_uint64), ("memory", c_void_p)]


class WhyOptions(Sized):
    _c_name = "mr_why_options"
    _fields_ = [
        ("struct_size", c_size_t), ("damping", c_double), ("dangling", c_char_p), ("teleport", c_void_p),
        ("n_teleport", c_uint64), ("scale", c_double), ("error_bound", c_double), ("by", c_int), ("top", c_uint64)]


class WhyShare(Structure):
    _c_name = "mr_why_share"
    _fields_ = [
        ("share", c_double), ("bound", c_double), ("score", c_double), ("portion", c_double),
        ("n_vertices", c_uint64), ("vertex", c_uint32), ("out_degree", c_uint32), ("host", c_char_p)]


class Why(Structure):
    _c_name = "mr_why"
    _fields_ = [
        ("score", c_double), ("teleport", WhyShare), ("dangling", WhyShare), ("links", WhyShare),
        ("vertices", POINTER(WhyShare)), ("n_listed", c_uint64), ("others", WhyShare),
        ("hosts", POINTER(WhyShare)), ("n_hosts", c_uint64), ("other_hosts", WhyShare), ("memory", c_void_p)]


class HostSums(Structure):
    _c_name = "mr_host_sums"
    _fields_ = [
        ("host", c_char_p), ("n_vertices", c_uint64), ("out_degree", c_uint64),
        ("in_degree", c_uint64), ("n_internal", c_uint64), ("score", c_double)]


PAIRS = CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_size_t, POINTER(Error))
HOST = CFUNCTYPE(c_int, c_void_p, POINTER(HostSums), POINTER(Error))


class PrecedenceOptions(Sized):
    _c_name = "mr_precedence_options"
    _fields_ = [
        ("struct_size", c_size_t), ("n_levels", c_uint), ("percentages", c_void_p),
        ("logarithmic", c_bool), ("force", c_bool), ("per_host", c_bool), ("format", c_int),
        ("chosen", c_void_p), ("only_changed", c_char_p)]


STRUCTS = [
    Error, Progress, ContextOptions, BuildOptions, BuildFigures, AppendOptions,
    AppendFigures, FoldOptions, MemoryEdges, ExportOptions, ReportOptions,
    StoreFigures,
    VertexWeight, RankVector, PushOptions, PushAnswer, RankingFigures,
    RankColumn, RankOption, RankFigure, NamedValue, RankingKind, ScoreColumn, ScoresOptions, ScoresFound, CompareOptions,
    CompareFigures, ScoresSide, ChangesOptions, RankedScore, Change, ChangeList, Changes, CertifyOptions, CertifyFigures, CertifyHarmonicFigures, VertexFacts,
    VertexEdge, VertexEdges, WhyOptions, WhyShare, Why, HostSums, PrecedenceOptions]

_HANDLE, _OUT = c_void_p, POINTER(c_void_p)
_ERR = POINTER(Error)

# Of every function: what it returns, and its parameters.
_FUNCTIONS = {
    "mr_version": (c_char_p, []),
    "mr_error_text": (c_char_p, [_ERR, c_char_p, c_size_t]),
    "mr_context_create": (c_int, [POINTER(ContextOptions), _OUT, _ERR]),
    "mr_context_destroy": (None, [_HANDLE]),
    "mr_context_stop": (None, [_HANDLE, c_bool]),
    "mr_context_memory_limit": (c_uint64, [_HANDLE]),
    "mr_context_memory_peak": (c_uint64, [_HANDLE]),
    "mr_store_build_files": (c_int, [
        _HANDLE, Needed, POINTER(c_char_p), c_size_t, POINTER(BuildOptions),
        POINTER(BuildFigures), _ERR]),
    "mr_store_append_files": (c_int, [
        _HANDLE, Needed, POINTER(c_char_p), c_size_t, POINTER(AppendOptions),
        POINTER(AppendFigures), _ERR]),
    "mr_store_build_edges": (c_int, [
        _HANDLE, Needed, POINTER(MemoryEdges), POINTER(BuildOptions), POINTER(BuildFigures),
        _ERR]),
    "mr_store_build_reverse": (c_int, [
        _HANDLE, _HANDLE, Needed, POINTER(BuildOptions), POINTER(BuildFigures), _ERR]),
    "mr_store_fold": (c_int, [
        _HANDLE, _HANDLE, Needed, POINTER(FoldOptions), POINTER(BuildFigures), _ERR]),
    "mr_store_open": (c_int, [_HANDLE, Needed, _OUT, _ERR]),
    "mr_store_open_weights": (c_int, [_HANDLE, _HANDLE, _OUT, _ERR]),
    "mr_store_close": (None, [_HANDLE]),
    "mr_store_describe": (None, [_HANDLE, POINTER(StoreFigures)]),
    "mr_store_probe": (c_bool, [Needed]),
    "mr_store_check": (c_int, [_HANDLE, Needed, c_bool, c_void_p, _ERR]),
    "mr_store_open_names": (c_int, [_HANDLE, _HANDLE, _OUT, _ERR]),
    "mr_names_close": (None, [_HANDLE]),
    "mr_names_find": (c_int, [
        _HANDLE, c_void_p, c_size_t, POINTER(c_uint32), POINTER(c_bool), _ERR]),
    "mr_names_get": (c_int, [_HANDLE, c_uint32, POINTER(c_void_p), POINTER(c_size_t), _ERR]),
    "mr_names_spellings": (c_void_p, [_HANDLE, POINTER(c_size_t)]),
    "mr_name_cursor_open": (c_int, [_HANDLE, c_uint32, _OUT, _ERR]),
    "mr_name_cursor_next": (c_int, [_HANDLE, POINTER(c_void_p), POINTER(c_size_t), _ERR]),
    "mr_name_cursor_vertex": (c_uint32, [_HANDLE]),
    "mr_name_cursor_close": (None, [_HANDLE]),
    "mr_ranking_kind_at": (POINTER(RankingKind), [c_size_t]),
    "mr_rank": (c_int, [
        _HANDLE, _HANDLE, _HANDLE, Needed, POINTER(NamedValue), c_size_t, _OUT, _ERR]),
    "mr_push_open": (c_int, [_HANDLE, _HANDLE, POINTER(PushOptions), _OUT, _ERR]),
    "mr_push_best": (c_int, [
        _HANDLE, POINTER(RankVector), c_uint64, c_uint64, c_double, c_void_p, c_void_p, c_void_p, _ERR]),
    "mr_push_close": (None, [_HANDLE]),
    "mr_ranking_value": (None, [_HANDLE, POINTER(RankFigure), POINTER(NamedValue)]),
    "mr_ranking_record": (None, [
        POINTER(RankFigure), POINTER(NamedValue), c_uint64, POINTER(RankFigure), POINTER(NamedValue)]),
    "mr_ranking_text": (c_char_p, [_HANDLE]),
    "mr_ranking_columns": (POINTER(ScoreColumn), [_HANDLE, POINTER(c_uint)]),
    "mr_ranking_describe": (None, [_HANDLE, POINTER(RankingFigures)]),
    "mr_ranking_free": (None, [_HANDLE]),
    "mr_scores_write": (c_int, [
        _HANDLE, Needed, _HANDLE, c_uint64, POINTER(ScoreColumn), c_uint,
        POINTER(ScoresOptions), c_void_p, _ERR]),
    "mr_scores_read": (c_int, [
        _HANDLE, Needed, c_char_p, _HANDLE, c_uint64, c_void_p, POINTER(ScoresFound), _ERR]),
    "mr_scores_compare": (c_int, [
        _HANDLE, POINTER(ScoresSide), POINTER(ScoresSide), POINTER(CompareOptions),
        POINTER(CompareFigures), _ERR]),
    "mr_scores_find_changes": (c_int, [
        _HANDLE, POINTER(ScoresSide), POINTER(ScoresSide), POINTER(ChangesOptions), POINTER(Changes), _ERR]),
    "mr_changes_free": (None, [POINTER(Changes)]),
    "mr_scores_certify": (c_int, [
        _HANDLE, _HANDLE, _HANDLE, POINTER(ScoresSide), POINTER(CertifyOptions), POINTER(CertifyFigures), _ERR]),
    "mr_scores_certify_harmonic": (c_int, [
        _HANDLE, _HANDLE, _HANDLE, POINTER(ScoresSide), c_uint64, c_double, c_uint64, c_uint64,
        POINTER(CertifyHarmonicFigures), _ERR]),
    "mr_vertex_describe": (c_int, [_HANDLE, _HANDLE, _HANDLE, c_uint32, POINTER(VertexFacts), _ERR]),
    "mr_vertex_list_edges": (c_int, [
        _HANDLE, _HANDLE, _HANDLE, _HANDLE, c_uint32, c_bool, POINTER(VertexEdges), _ERR]),
    "mr_store_read_edges": (c_int, [_HANDLE, _HANDLE, PAIRS, c_void_p, _ERR]),
    "mr_store_export": (c_int, [_HANDLE, _HANDLE, _HANDLE, Needed, POINTER(ExportOptions), _ERR]),
    "mr_store_export_check": (c_int, [
        POINTER(c_char_p), c_size_t, Needed, POINTER(ExportOptions), _ERR]),
    "mr_store_report": (c_int, [_HANDLE, _HANDLE, _HANDLE, Needed, POINTER(ReportOptions), _ERR]),
    "mr_vertex_edges_free": (None, [POINTER(VertexEdges)]),
    "mr_scores_explain": (c_int, [
        _HANDLE, _HANDLE, _HANDLE, c_void_p, POINTER(WhyOptions), c_void_p, c_size_t, POINTER(Why), _ERR]),
    "mr_why_free": (None, [POINTER(Why)]),
    "mr_store_sum_hosts": (c_int, [
        _HANDLE, _HANDLE, _HANDLE, c_int, c_bool, c_void_p, HOST, c_void_p, _ERR]),
    "mr_fetched_read": (c_int, [
        _HANDLE, _HANDLE, _HANDLE, POINTER(c_char_p), c_size_t, c_uint, c_bool, c_uint64, c_void_p,
        c_void_p, _ERR]),
    "mr_fetch_priorities": (c_int, [
        _HANDLE, _HANDLE, _HANDLE, POINTER(ScoreColumn), c_uint64, c_void_p, c_void_p, _ERR]),
    "mr_fetch_choose": (c_int, [
        _HANDLE, _HANDLE, _HANDLE, POINTER(ScoreColumn), c_void_p, c_uint64, c_uint, c_uint,
        c_void_p, POINTER(c_uint64), _ERR]),
    "mr_precedence_write": (c_int, [
        _HANDLE, _HANDLE, _HANDLE, c_void_p, POINTER(PrecedenceOptions), c_char_p, c_void_p,
        c_void_p, _ERR]),
}


def _load():
    """MILLRACE_LIBRARY names the file. Without it the library is the one of the wheel, which lies beside this module,
    or else the one that the dynamic linker finds."""
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), SONAME)
    path = os.environ.get("MILLRACE_LIBRARY") or (beside if os.path.exists(beside) else SONAME)
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(
            f"cannot load {path}: {error}. Install the wheel, which has the library inside (`pip install .` in the "
            "source tree), or set MILLRACE_LIBRARY to the file libmillrace.so") from error
    for name, (result, parameters) in _FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, parameters
    version = library.mr_version().decode()
    if not SONAME.endswith(".so." + version.rpartition(".")[0]):
        raise ImportError(f"{library._name} is version {version}, and this module is for {SONAME}")
    return library


lib = _load()
