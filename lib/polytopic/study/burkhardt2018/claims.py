"""What Burkhardt & Kramer (2018) claim of their models, which wait for these to be part of the study.

What their printed numbers say of their prose is judged already: see ``study.audit.burkhardt2018``.
"""

from polytopic.study.claims import enter

WAITING = "Fast-Dep.-LLDA and SCVB-Dep. are not part of the study yet"

SAID = {
    "Greedy training converges better than non-greedy training on all corpora.": "section 4.2, figures 6, 7",
    "Without greedy training the test likelihood rises, then falls and stays lower.": "section 4.2, figure 7",
    "Evaluation S1 is faster in practice than Dep.-LLDA, and S2 as complex as it.": "section 4.6",
    "A predicted number of labels outperforms a fixed cutoff.": "section 5.1",
    "Evaluation S2 is superior to S1.": "section 5.5.1, tables 5, 6",
    "Fast-Dep.-LLDA almost always has the best micro- and macro-averaged AUC.": "section 5.5.1, table 5",
    "BR with SVMs is best on every binary measure but Macro-F.": "section 5.5.1, table 5",
    "Where labels are many for the documents, topic models predict the rare ones better.": "section 5.5.1",
    "PD Sparse and FastXML are mostly worse than BR and the topic models.": "section 5.5.1, table 5",
    "Fast-Dep.-LLDA (S2) is significantly better than Dep.-LLDA on both AUCs.": "section 5.5.1, table 6",
    "On binary measures Fast-Dep.-LLDA (S2) is competitive with Dep.-LLDA.": "section 7, table 6",
    "Online, SCVB-Dep. outperforms SCVB on all corpora, by both AUCs.": "section 5.5.2, figure 8",
    "On large training sets SCVB-Dep. converges earlier than Fast-Dep.-LLDA.": "section 5.5.3, figure 9",
    "Topic models train in minutes to hours on one core where BR takes days.": "section 6",
    "The reversed model's topics describe a corpus in some cases better than label clouds.": "section 5.5.4",
    "The higher the cardinality, the longer the Gibbs sampler takes to converge.": "section 6",
}

enter("burkhardt2018", {}, {WAITING: SAID})
