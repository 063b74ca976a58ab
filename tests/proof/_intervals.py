"""Every interval that Assay shows: who makes it, where it stands, by which method."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Interval:
    """One row of the table of coverage.

    Attributes:
        key: What the campaigns call it.
        title: What it is the interval of.
        function: Who makes it, below `assay`.
        shown: Where a reader meets it.
        method: How it is made, with its source.
        remark: Why it is used although its coverage is not 93 to 97 % everywhere, or "".
        none: The sizes at which there is none.
    """

    key: str
    title: str
    function: str
    shown: str
    method: str
    remark: str = ""
    none: tuple[int, ...] = ()


_BOOTSTRAP = "studentised bootstrap, Efron (1981), Hall (1988)"
_DRAWN = "studentised bootstrap, Hall (1988), Cameron, Gelbach and Miller (2008)"
_JACK = "jackknife, Tukey (1958)"
_JACK_Z = "jackknife on Fisher's z, Tukey (1958), Fisher (1915)"
_SUMS = "studentised bootstrap, Efron (1981, 1982)"
_COMPARE = "`compare`"
_HUMAN = "`compare --human`"
_REAL = "`compare` of sim and real"
_RANK = "`rank`"
_PULSE = "`bench pulse`, `certify`"

_NOISE = "Off by little: with 300 to 500 studies a cell is known to a point or so."
_OPEN = "Spans all orders that are left open, and so errs on the wide side."
_CLOSE = (
    "Mostly wide. Policies that lie close together change places in every draw; the"
    " page warns where fewer than half of the pairs are told apart."
)
_WIDE = "Reaches down to what is settled, and so errs on the wide side."
_NEAR_ONE = (
    "Near 1 a few attempts decide, and their spread is not normal; it needs no"
    " resampling, and the page gives n."
)
_COUNTS = (
    "Counts jump, so no interval holds 95 % at every share; the score interval errs"
    " to both sides by little."
)
_TAIL = (
    "What 20 draws do not hold, such as a rare collapse, no interval without an"
    " assumed shape can know of."
)
_FEW = "Few scenes of 20 differ at all."
_LOP = "Lop-sided or clumped scores, 20 of them; no shape is assumed, and the page gives n."
_SEEN = (
    "20 labels hold few of the failures that a judge overlooks; more labels help,"
    " and the page says so."
)
_ALWAYS = "Holds at all moments together, and so more often at each."
_AT_ONCE = "Holds for all policies at once, by tests of all pairs, and so errs on the wide side."
_TOGETHER = "Pairs of an episode go together, so that few episodes are few draws."

INTERVALS = (
    Interval(
        "mean",
        "mean of a metric in 0..1",
        "metrics.intervals.mean_interval",
        "`audit`, `compare`, `certify`, `train`",
        _BOOTSTRAP,
        remark=_TAIL,
    ),
    Interval(
        "mean, open range",
        "mean in a range without ends",
        "metrics.intervals.mean_interval",
        "diagnostics, `certify`, durations",
        _BOOTSTRAP,
    ),
    Interval(
        "share",
        "share",
        "metrics.intervals.share_interval",
        "`audit`, `compare`, `rollout`, `bench pulse`",
        "score, Wilson (1927)",
        remark=_COUNTS,
    ),
    Interval(
        "paired difference",
        "difference, paired",
        "metrics.differences.paired_difference",
        _COMPARE,
        _DRAWN,
        remark=_TAIL,
    ),
    Interval(
        "unpaired difference",
        "difference, unpaired",
        "metrics.differences.unpaired_difference",
        _COMPARE,
        f"{_DRAWN}, Zou and Donner (2008)",
        remark=_TAIL,
    ),
    Interval(
        "paired difference, clusters",
        "difference, paired, by cluster",
        "metrics.differences.paired_difference",
        _COMPARE,
        _DRAWN,
    ),
    Interval(
        "unpaired difference, clusters",
        "difference, unpaired, by cluster",
        "metrics.differences.unpaired_difference",
        _COMPARE,
        _DRAWN,
    ),
    Interval(
        "paired effect",
        "effect size, paired",
        "metrics.effects.standardised",
        _COMPARE,
        "the wider of sandwich and bootstrap, Cohen (1988), Hedges (1981)",
        remark=_TAIL,
    ),
    Interval(
        "unpaired effect",
        "effect size, unpaired",
        "metrics.effects.standardised",
        _COMPARE,
        "the wider of sandwich and bootstrap, Cohen (1988), Hedges (1981)",
        remark=_TAIL,
    ),
    Interval(
        "paired improvement",
        "probability of improvement, paired",
        "metrics.effects.paired_improvement",
        _COMPARE,
        "score at an effective n, Korn and Graubard (1998)",
        remark=_NOISE,
    ),
    Interval(
        "unpaired improvement",
        "probability of improvement, unpaired",
        "metrics.effects.improvement",
        _COMPARE,
        "score at an effective n, Brunner and Munzel (2000), Korn and Graubard (1998)",
        remark=_NOISE,
    ),
    Interval(
        "paired share difference",
        "difference of shares, paired",
        "metrics.share_differences.paired_share_difference",
        _COMPARE,
        "score, Tango (1998)",
        remark=_COUNTS,
    ),
    Interval(
        "unpaired share difference",
        "difference of shares, unpaired",
        "metrics.share_differences.unpaired_share_difference",
        _COMPARE,
        "score, Miettinen and Nurminen (1985)",
        remark=_COUNTS,
    ),
    Interval(
        "drop",
        "drop under a perturbation",
        "metrics.robustness.paired_drop",
        _COMPARE,
        _BOOTSTRAP,
        remark=_FEW,
    ),
    Interval(
        "relative drop",
        "drop as a share of what there was",
        "metrics.robustness.paired_drop",
        _COMPARE,
        "studentised bootstrap turned round, Fieller (1954)",
        remark=_FEW,
    ),
    Interval(
        "betting",
        "mean, at any moment",
        "metrics.betting.bet",
        "`compare --watch`",
        "bets, Waudby-Smith and Ramdas (2024)",
        remark=_ALWAYS,
    ),
    Interval(
        "betting, kept",
        "mean, all moments so far",
        "metrics.betting.bet",
        "`compare --watch`",
        "bets, Waudby-Smith and Ramdas (2024)",
        remark=_ALWAYS,
    ),
    Interval(
        "labels and judge",
        "mean by few labels and a judge",
        "metrics.assisted.assist",
        _HUMAN,
        "studentised bootstrap, Angelopoulos et al. (2023)",
        remark=_SEEN,
    ),
    Interval(
        "labels alone",
        "mean by labels alone",
        "metrics.assisted.assist",
        _HUMAN,
        _BOOTSTRAP,
        remark=_SEEN,
    ),
    Interval(
        "labels and judge, by task",
        "mean by few labels and a judge, by task",
        "metrics.assisted.assist",
        _HUMAN,
        "studentised bootstrap within tasks, Angelopoulos et al. (2023), Cochran (1977)",
        remark=_SEEN,
    ),
    Interval(
        "labels alone, by task",
        "mean by labels alone, by task",
        "metrics.assisted.assist",
        _HUMAN,
        "studentised bootstrap within tasks, Cochran (1977)",
        remark=_SEEN,
    ),
    Interval(
        "effective",
        "labels that would do as well",
        "metrics.assisted.assist",
        _HUMAN,
        "from the correlation's, Cochran (1977)",
        remark=_SEEN,
    ),
    Interval("pearson", "Pearson", "metrics.correlation.associate", _HUMAN, _JACK_Z),
    Interval(
        "spearman", "Spearman", "metrics.correlation.associate", _HUMAN, _JACK_Z, remark=_NOISE
    ),
    Interval("kendall", "Kendall", "metrics.correlation.associate", _HUMAN, _JACK_Z, remark=_NOISE),
    Interval("slope", "slope", "metrics.correlation.associate", _HUMAN, _JACK, remark=_LOP),
    Interval("intercept", "intercept", "metrics.correlation.associate", _HUMAN, _JACK, remark=_LOP),
    Interval(
        "gain", "gain over a null judge", "metrics.correlation.gain", _HUMAN, _JACK, remark=_LOP
    ),
    Interval("icc", "raters' ICC(1)", "metrics.raters.agree", _HUMAN, _JACK_Z),
    Interval("cohen", "Cohen's kappa", "metrics.kappa.cohen_kappa", _HUMAN, _SUMS, remark=_NOISE),
    Interval(
        "weighted cohen",
        "Cohen's kappa, weighted",
        "metrics.kappa.cohen_kappa",
        _HUMAN,
        _SUMS,
        remark=_NOISE,
    ),
    Interval("fleiss", "Fleiss' kappa", "metrics.kappa.fleiss_kappa", _HUMAN, _SUMS, remark=_NOISE),
    Interval(
        "alpha nominal",
        "Krippendorff's alpha, nominal",
        "metrics.krippendorff.krippendorff_alpha",
        _HUMAN,
        _SUMS,
        remark=_NOISE,
    ),
    Interval(
        "alpha ordinal",
        "Krippendorff's alpha, ordinal",
        "metrics.krippendorff.krippendorff_alpha",
        _HUMAN,
        _SUMS,
        remark=_NOISE,
    ),
    Interval(
        "alpha interval",
        "Krippendorff's alpha, interval",
        "metrics.krippendorff.krippendorff_alpha",
        _HUMAN,
        _SUMS,
        remark=_NOISE,
    ),
    Interval(
        "ceiling of labels",
        "leave-one-out ceiling of labels",
        "metrics.ceiling.label_ceiling",
        _HUMAN,
        _SUMS,
        remark=_NOISE,
    ),
    Interval(
        "ceiling of scores",
        "leave-one-out ceiling of scores",
        "metrics.ceiling.score_ceiling",
        _HUMAN,
        _SUMS,
        remark=_NOISE,
    ),
    Interval(
        "iou", "overlap of matched spans", "metrics.overlap.span_agreement", "Python", _BOOTSTRAP
    ),
    Interval(
        "f1",
        "F1 of spans, marked clips",
        "metrics.overlap.span_agreement",
        "Python",
        _BOOTSTRAP,
        remark=_NOISE,
    ),
    Interval(
        "f1_all",
        "F1 of spans, all clips",
        "metrics.overlap.span_agreement",
        "Python",
        _BOOTSTRAP,
        remark=_NOISE,
    ),
    Interval(
        "sim and real pearson",
        "Pearson, sim and real",
        "metrics.sim_real.compare_sim_real",
        _REAL,
        "the wider of studentised and symmetric bootstrap, Hall (1988)",
        remark=_CLOSE,
    ),
    Interval(
        "sim and real spearman",
        "Spearman, sim and real",
        "metrics.sim_real.compare_sim_real",
        _REAL,
        "orders left open, Brandenburg, Gleissner and Hofmeier (2013)",
        remark=_OPEN,
    ),
    Interval(
        "sim and real kendall",
        "Kendall, sim and real",
        "metrics.sim_real.compare_sim_real",
        _REAL,
        "orders left open, Brandenburg, Gleissner and Hofmeier (2013)",
        remark=_OPEN,
    ),
    Interval(
        "sim and real mmrv",
        "mean maximum rank violation",
        "metrics.sim_real.compare_sim_real",
        _REAL,
        "symmetric bootstrap, Hall (1988)",
        remark=_WIDE,
    ),
    Interval(
        "tau of two judges",
        "Kendall, two judges' orders of policies",
        "metrics.agreement.compare_orders",
        "`audit` with judges beside, `bench pulse`",
        "orders left open, Brandenburg, Gleissner and Hofmeier (2013)",
        remark=_OPEN,
    ),
    Interval(
        "strength, sandwich",
        "strength by votes",
        "metrics.preference.ranking.rank_policies",
        _RANK,
        "sandwich, Bradley and Terry (1952), Huber (1967)",
    ),
    Interval(
        "strength, davidson",
        "strength by votes with ties",
        "metrics.preference.ranking.rank_policies",
        _RANK,
        "sandwich, Davidson (1970), Huber (1967)",
        remark=_NOISE,
    ),
    Interval(
        "strength, regularised",
        "strength, regularised",
        "metrics.preference.ranking.rank_policies",
        _RANK,
        "curvature of the likelihood",
    ),
    Interval(
        "strength, clustered",
        "strength by votes of raters",
        "metrics.preference.ranking.rank_policies",
        _RANK,
        "sandwich by cluster, Liang and Zeger (1986)",
    ),
    Interval(
        "pair of strengths",
        "difference of two strengths",
        "metrics.preference.ranking.rank_policies",
        _RANK,
        "sandwich or curvature, as above",
    ),
    Interval(
        "ranks left open",
        "ranks left open, all policies together",
        "metrics.preference.tiers.rank_limits",
        _RANK,
        "tests of pairs by Holm, Mogstad, Romano, Shaikh and Wilhelm (2024)",
        remark=_AT_ONCE,
    ),
    Interval(
        "rankings, tau",
        "Kendall of two rankings",
        "metrics.preference.agreeing.agree_rankings",
        _RANK,
        "orders left open, Brandenburg, Gleissner and Hofmeier (2013)",
        remark=_OPEN,
    ),
    Interval(
        "rankings, rho",
        "Spearman of two rankings",
        "metrics.preference.agreeing.agree_rankings",
        _RANK,
        "orders left open, Brandenburg, Gleissner and Hofmeier (2013)",
        remark=_OPEN,
    ),
    Interval(
        "average of bins",
        "average over bins of pairs",
        "benchmarks.pulse.shares.bounded",
        _PULSE,
        "studentised bootstrap by episode, Hall (1988)",
    ),
    Interval(
        "lift over a null judge",
        "lift over a null judge",
        "benchmarks.pulse.shares.bounded",
        _PULSE,
        "studentised bootstrap by episode, Hall (1988)",
        remark=_NOISE,
    ),
    Interval(
        "share by episode",
        "share of right answers",
        "benchmarks.pulse.shares.clustered_share",
        _PULSE,
        "score at an effective n, Wilson (1927), Kish (1965)",
        remark=_TOGETHER,
    ),
    Interval(
        "auc",
        "area under the curve",
        "benchmarks.pulse.ranks.auc",
        "`bench pulse`, `train`",
        "DeLong, DeLong and Clarke-Pearson (1988)",
        remark=_NEAR_ONE,
    ),
    Interval(
        "median",
        "median",
        "benchmarks.pulse.ranks.median",
        "`bench pulse`",
        "order statistics, by the binomial distribution",
    ),
)
"""In the order of the table: what most readers meet stands first."""
