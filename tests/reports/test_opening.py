from __future__ import annotations

from collections import Counter
from statistics import mean

from assay.reports.opening import findings, opening
from reports.cells import E, audit, cell, reaches, success


def said(document, topic):
    """Return what the opening says on one topic, as one text."""
    return " ".join(" ".join(f.sentences) for f in findings(document) if f.topic == topic)


def test_two_policies_whose_intervals_overlap():
    document = audit(
        cell("pour", "act", success=success(0.5, 0.3, 0.7)),
        cell("pour", "pi0", success=success(0.65, 0.43, 0.82)),
        success_source="recorded",
    )
    assert opening(document) == (
        "2 policies were judged on 1 task over 40 episodes; all could be scored. "
        "On “pour”, pi0 has the highest success rate, 65.0 [43.0, 82.0] (n = 20), 15.0 points "
        "above act, 50.0 [30.0, 70.0] (n = 20); the intervals overlap. Every scored episode "
        "reaches 100 % progress."
    )


def test_disjoint_intervals_are_called_just_that():
    document = audit(
        cell("pour", "act", success=success(0.1, 0.02, 0.3)),
        cell("pour", "pi0", success=success(0.9, 0.7, 0.97)),
    )
    assert said(document, "Lead") == (
        "On “pour”, pi0 has the highest success rate, 90.0 [70.0, 97.0] (n = 20), 80.0 points "
        "above act, 10.0 [2.0, 30.0] (n = 20); the intervals do not overlap."
    )
    assert "significant" not in opening(document)


def test_two_policies_without_success_are_told_apart():
    document = audit(
        cell(
            "pour",
            "act",
            success=success(0.0, 0.0, 0.16),
            mp=E(0.8, 0.72, 0.86),
            cra=E(0.3, 0.2, 0.4),
            str=E(0.2, 0.1, 0.3),
        ),
        cell(
            "pour",
            "pi0",
            success=success(0.0, 0.0, 0.16),
            mp=E(0.3, 0.22, 0.41),
            cra=E(0.28, 0.2, 0.36),
            str=E(0.7, 0.6, 0.8),
        ),
    )
    assert said(document, "Same success") == (
        "On “pour”, act and pi0 have the same success rate, 0.0, but differ in "
        "MP (80.0 [72.0, 86.0] against 30.0 [22.0, 41.0]) and STR (20.0 [10.0, 30.0] against "
        "70.0 [60.0, 80.0]): these intervals do not overlap."
    )
    assert said(document, "Lead").startswith(
        "On “pour”, where all have the same success rate, act has the highest MP, 80.0"
    )


def test_a_pair_in_regret_is_told_of_unless_the_first_differs_in_that_most():
    none = success(0.0, 0.0, 0.16)
    stops = {"mp": E(0.2, 0.15, 0.25), "cra": E(0.0, 0.0, 0.01)}
    misses = {"mp": E(0.9, 0.85, 0.95), "cra": E(0.03, 0.02, 0.04)}
    undoes = {"mp": E(0.85, 0.8, 0.9), "cra": E(0.3, 0.25, 0.35)}
    told = said(
        audit(
            cell("pour", "stops", success=none, **stops),
            cell("pour", "misses", success=none, **misses),
            cell("pour", "undoes", success=none, **undoes),
        ),
        "Same success",
    )
    # stops and misses lie furthest apart, in MP; that their regret differs a little says less
    assert told.startswith(
        "On “pour”, stops and misses have the same success rate, 0.0, but differ"
    )
    assert "On “pour”, misses and undoes have the same success rate, 0.0, but differ in CRA" in told
    alone = said(
        audit(
            cell("pour", "misses", success=none, **misses),
            cell("pour", "undoes", success=none, **undoes),
        ),
        "Same success",
    )
    assert alone.count("have the same success rate") == 1


def bands(**ends):
    """Return bands of sensitivity by metric, from their two ends."""
    return {key: {"low": low, "high": high} for key, (low, high) in ends.items()}


def pair_at_zero(left, right):
    """Return two policies of success 0 whose intervals of MP and STR lie apart."""
    none = success(0.0, 0.0, 0.16)
    first = {"mp": E(0.8, 0.72, 0.86), "str": E(0.2, 0.1, 0.3), "sensitivity": left}
    second = {"mp": E(0.3, 0.22, 0.41), "str": E(0.7, 0.6, 0.8), "sensitivity": right}
    return audit(
        cell("pour", "act", success=none, **first), cell("pour", "pi0", success=none, **second)
    )


def test_a_metric_that_other_settings_turn_over_is_not_said_to_differ():
    document = pair_at_zero(
        bands(mp=(0.75, 0.82), str=(0.1, 0.5)), bands(mp=(0.28, 0.33), str=(0.4, 0.9))
    )
    assert said(document, "Same success") == (
        "On “pour”, act and pi0 have the same success rate, 0.0, but differ in MP (80.0 [72.0, "
        "86.0] against 30.0 [22.0, 41.0]): these intervals do not overlap, nor do their bands of "
        "sensitivity. The intervals of STR (20.0 [10.0, 30.0] against 70.0 [60.0, 80.0]) do not "
        "overlap either, but under other settings of the analysis their bands overlap."
    )


def test_bands_that_all_overlap_leave_no_difference():
    wide = bands(mp=(0.2, 0.9), str=(0.1, 0.9))
    document = pair_at_zero(wide, wide)
    told = said(document, "Same success")
    assert "differ" not in told
    assert told.startswith(
        "On “pour”, act and pi0 have the same success rate, 0.0; the intervals of MP ("
    )
    assert told.endswith("but under other settings of the analysis their bands overlap.")
    assert said(document, "Lead").endswith(
        "; the intervals do not overlap, but under other settings of the analysis their bands "
        "overlap."
    )


def test_same_success_with_meeting_intervals_says_nothing():
    document = audit(
        cell("pour", "act", success=success(0.0, 0.0, 0.16)),
        cell("pour", "pi0", success=success(0.0, 0.0, 0.16)),
    )
    assert said(document, "Same success") == ""


# act: of 20, 20 reach 25 %, 8 reach 50 %, 8 reach 75 %, 4 reach 100 %: 12 stop in 25-50, 4 in
# 75-100. pi0: 18, 18, 11, 10: 2 in 0-25, 7 in 50-75, 1 in 75-100. Together 26; the most, 12.
def test_where_episodes_stop():
    document = audit(
        cell("pour", "act", mc=reaches(1.0, 0.4, 0.4, 0.2)),
        cell("pour", "pi0", mc=reaches(0.9, 0.9, 0.55, 0.5)),
    )
    assert said(document, "Where they stop") == (
        "26 of 40 scored episodes never reach 100 % progress; the largest group of them, 12, gets "
        "to between 25 and 50 % and no further. Most of that group in one row of the table: 12 of "
        "20 of act on “pour”."
    )


# act: 9 stay in 75-100. pi0 and dp: 6 each in 25-50, the rest reach the end. Together 12 in 25-50,
# 9 in 75-100: the rows named are those of 25-50 although act has more elsewhere.
def test_the_worst_row_is_one_of_the_group_just_named():
    document = audit(
        cell("pour", "act", mc=reaches(1.0, 1.0, 1.0, 0.55)),
        cell("pour", "pi0", mc=reaches(1.0, 0.7, 0.7, 0.7)),
        cell("pour", "dp", mc=reaches(1.0, 0.7, 0.7, 0.7)),
    )
    assert said(document, "Where they stop").endswith(
        "the largest group of them, 12, gets to between 25 and 50 % and no further. Most of that "
        "group in one row of the table: 6 of 20 of pi0 on “pour” and 6 of 20 of dp on “pour”."
    )


def test_unscored_episodes_with_labels_count_in_success():
    rate = success(0.5, 0.3, 0.7)
    lost = cell("pour", "act", status={"ok": 19, "unparsed": 1}, success=rate)
    assert said(audit(lost), "Not scored") == (
        "1 episode could not be scored (1 unparsed) and counts in no metric but Success, which is "
        "over labelled episodes."
    )


# act: 10 stay in 25-50 and 10 in 75-100. pi0: 10 stay in 25-50, 10 reach the end. Together 20, 10.
# dp: 10 stay in 75-100. Together 20 and 20: both steps and all three rows share the most.
def test_where_as_many_episodes_stop_in_two_places():
    document = audit(
        cell("pour", "act", mc=reaches(1.0, 0.5, 0.5, 0.0)),
        cell("pour", "pi0", mc=reaches(1.0, 0.5, 0.5, 0.5)),
        cell("pour", "dp", mc=reaches(1.0, 1.0, 1.0, 0.5)),
    )
    assert said(document, "Where they stop") == (
        "40 of 60 scored episodes never reach 100 % progress; the largest groups of them, 20 each, "
        "get to between 25 and 50 % and between 75 and 100 % and no further. Most of these "
        "groups in one row of the table: 10 of 20 of act on “pour” (25 to 50 % and 75 to "
        "100 %), 10 of 20 of pi0 on “pour” (25 to 50 %) and 10 of 20 of dp on “pour” (75 to 100 %)."
    )


def test_one_policy_on_one_task_without_labels():
    document = audit(cell("pour", "act", mp=E(0.6234, 0.551, 0.69), mc=reaches(1, 1, 1, 0.95)))
    assert opening(document) == (
        "1 policy was judged on 1 task over 20 episodes; all could be scored. There are no "
        "success labels; act has an MP of 62.3 [55.1, 69.0] (n = 20). 1 of 20 scored episodes "
        "never reaches 100 % progress; it gets to between 75 and 100 % and no further."
    )


def test_one_policy_on_several_tasks():
    document = audit(
        cell("pour", "act", success=success(0.2, 0.1, 0.4)),
        cell("fold", "act", success=success(0.9, 0.7, 0.97)),
    )
    assert said(document, "Lead") == ""
    assert said(document, "Outcome") == (
        "act has its highest success rate on “fold”, 90.0 [70.0, 97.0] (n = 20), and its lowest "
        "on “pour”, 20.0 [10.0, 40.0] (n = 20); the intervals do not overlap."
    )


def test_all_unscored():
    lost = cell("pour", "act", status={"missing_frame": 20}, mp=E(None, n=0, why="none scored"))
    assert opening(audit(lost)) == (
        "1 policy was judged on 1 task over 20 episodes; none could be scored. With no scored "
        "episode (20 missing_frame) nothing can be compared; an unscored episode is not a zero."
    )


def test_no_episode_at_all():
    assert opening(audit()) == "No episode was found, so there is nothing to report."


def test_unscored_episodes_come_with_worst_and_best():
    document = audit(
        cell(
            "pour",
            "act",
            n=20,
            status={"ok": 17, "unparsed": 3},
            mp=E(0.6, 0.5, 0.7, 17, worst=0.51, best=0.66),
        ),
        cell(
            "pour",
            "pi0",
            n=20,
            status={"ok": 19, "missing_frame": 1},
            mp=E(0.4, 0.3, 0.5, 19, worst=0.38, best=0.43),
        ),
    )
    assert said(document, "Not scored") == (
        "4 episodes could not be scored (1 missing_frame, 3 unparsed) and count in no metric; with "
        "the worst or the best value put in for each of them, MP of act on “pour” would be 51.0 "
        "or 66.0 instead of 60.0."
    )


def test_kinds_of_failure():
    def entry(policy, cra, stagnation):
        return {
            "policy": policy,
            "n_failures": 8,
            "why": None,
            "raw": {"mp": 0.5, "ppl": 0.4, "cra": 0.22, "str": 0.61},
            "z": {"mp": 0.0, "ppl": 0.0, "cra": cra, "str": stagnation},
        }

    document = audit(
        cell("pour", "act"),
        fingerprints=[
            {
                "task": "pour",
                "policies": [
                    entry("act", 0.7, 0.5),
                    entry("pi0", 0.6, -1.4),
                    entry("dp", -1.3, 0.9),
                ],
            }
        ],
    )
    assert said(document, "How they fail") == (
        "The most stagnation-dominant failures (standing still) are those of pi0 on “pour” (mean "
        "STR 61.0 over 8 failures; 3 policies compared): 1.4 standard deviations worse than the "
        "mean of the policies there. The most regret-dominant failures (giving progress back) are "
        "those of dp on “pour” (mean CRA 22.0 over 8 failures; 3 policies compared): 1.3 "
        "standard deviations worse than the mean of the policies there. These standard deviations "
        "are those of the policies' mean values on a task, so of few numbers, and not those of "
        "episodes."
    )


def test_few_episodes_separate_nothing():
    document = audit(
        cell("pour", "act", n=3, status={"ok": 3}, success=success(0.0, None, None, 3)),
        cell("pour", "pi0", n=3, status={"ok": 3}, success=success(1.0, None, None, 3)),
    )
    assert said(document, "Lead") == (
        "On “pour”, pi0 has the highest success rate, 100.0 † (n = 3), 100.0 points above act, "
        "0.0 † (n = 3); with fewer than 5 episodes there are no intervals to compare."
    )


def test_a_shared_lead():
    rate = success(0.5, 0.3, 0.7)
    document = audit(
        cell("pour", "act", success=rate),
        cell("pour", "pi0", success=rate),
        cell("pour", "dp", success=success(0.1, 0.0, 0.2)),
    )
    assert said(document, "Lead") == (
        "On “pour”, act and pi0 share the highest success rate, 50.0 [30.0, 70.0] (n = 20), 40.0 "
        "points above dp, 10.0 [0.0, 20.0] (n = 20); the intervals do not overlap."
    )


def test_a_lead_shared_with_other_numbers_of_episodes():
    document = audit(
        cell("pour", "act", success=success(0.5, 0.3, 0.7)),
        cell("pour", "pi0", n=10, status={"ok": 10}, success=success(0.5, 0.24, 0.76, 10)),
        cell("pour", "dp", success=success(0.1, 0.0, 0.29)),
        cell("pour", "rt", success=success(0.1, 0.0, 0.29)),
    )
    assert said(document, "Lead") == (
        "On “pour”, act and pi0 share the highest success rate, 50.0 (n = 10 to 20), 40.0 points "
        "above dp and rt, 10.0 [0.0, 29.0] (n = 20); some of the intervals overlap."
    )


def test_all_share_the_lead():
    document = audit(cell("pour", "act"), cell("pour", "pi0"), cell("pour", "dp"))
    assert said(document, "Lead") == (
        "On “pour”, where there are no success labels, act, pi0 and dp share the highest MP, "
        "100.0 [86.0, 100.0] (n = 20)."
    )


# The third policy has few episodes and so a wide interval: it reaches up to the leader's.
def test_an_interval_that_overlaps_from_further_behind_is_named():
    document = audit(
        cell("pour", "act", success=success(0.9, 0.7, 0.97)),
        cell("pour", "pi0", success=success(0.5, 0.3, 0.69)),
        cell("pour", "dp", n=5, status={"ok": 5}, success=success(0.4, 0.12, 0.77, 5)),
    )
    assert said(document, "Lead").endswith(
        "(n = 20); the intervals do not overlap. The interval of dp also overlaps that of act."
    )


def test_a_lead_too_small_to_show_is_not_called_zero():
    document = audit(
        cell("pour", "act", mp=E(0.9004, 0.8, 1.0)), cell("pour", "pi0", mp=E(0.9, 0.8, 1.0))
    )
    assert "less than 0.1 points above pi0" in said(document, "Lead")


def test_many_tasks_are_summed_up():
    cells = []
    for number in range(5):
        leader = success(0.9, 0.7, 0.97) if number < 3 else success(0.4, 0.2, 0.6)
        cells += [
            cell(f"t{number}", "act", success=success(0.5, 0.3, 0.69)),
            cell(f"t{number}", "pi0", success=leader),
        ]
    assert said(audit(*cells), "Lead") == (
        "Of 5 tasks, by success rate, pi0 leads on 3 and act leads on 2; on 3 of them the "
        "leader's interval does not overlap that of the next. The widest of these leads is on "
        "“t0”: pi0 has the highest success rate, 90.0 [70.0, 97.0] (n = 20), 40.0 points above "
        "act, 50.0 [30.0, 69.0] (n = 20); the intervals do not overlap."
    )


# Two policies at .5 and a third at .1 on every task but the first, which act has for itself.
def test_shared_leads_are_counted_apart():
    low, half = success(0.1, 0.02, 0.3), success(0.5, 0.3, 0.7)
    cells = [cell("t0", "act", success=half), cell("t0", "pi0", success=low)]
    for number in range(1, 4):
        cells += [cell(f"t{number}", name, success=half) for name in ("act", "pi0")]
        cells.append(cell(f"t{number}", "dp", success=low))
    cells.append(cell("t4", "act", success=half))
    assert said(audit(*cells), "Lead") == (
        "Of the 4 tasks on which two or more can be compared, by success rate, act leads on 1 and "
        "the lead is shared on 3; on none of them does a leader's interval lie apart from that of "
        "the next."
    )


def test_groups_that_are_no_policies():
    cells = [
        cell("", "", group={"perturbation": name}, task=None, policy=None, mp=mp)
        for name, mp in (("none", E(0.9, 0.8, 1.0)), ("light", E(0.4, 0.3, 0.5)))
    ]
    assert opening(audit(*cells)).startswith(
        "2 perturbations were judged over 40 episodes; all could be scored. As there are no "
        "success labels, the comparison is by MP: none has the highest MP, 90.0 [80.0, 100.0] "
        "(n = 20), "
        "50.0 points above light, 40.0 [30.0, 50.0] (n = 20); the intervals do not overlap."
    )


def test_the_claims_on_a_whole_audit_agree_with_its_episodes(page):
    scored = [row for row in page.rows if row["status"] == "ok"]
    lost = [row["mp"] for row in scored if row["mp"] < 1]
    bins = Counter(int(4 * peak) for peak in lost)
    (at, most), (_, second) = bins.most_common(2)
    assert most > second
    assert said(page.audit, "Where they stop").startswith(
        f"{len(lost)} of {len(scored)} scored episodes never reach 100 % progress; the largest "
        f"group of them, {most}, gets to between {25 * at} and {25 * at + 25} % and no further."
    )
    for task in ("stack-cups", "pour-beans"):
        rates = {
            policy: mean(
                row["success_end"]
                for row in page.rows
                if (row["task"], row["policy"], row["success_end"] is None) == (task, policy, False)
            )
            for policy in {row["policy"] for row in page.rows}
        }
        best = max(rates, key=rates.__getitem__)
        told = f"On “{task}”, {best} has the highest success rate, {100 * rates[best]:.1f} ["
        assert told in said(page.audit, "Lead")
