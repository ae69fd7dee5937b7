"""Words from running text: the token rule, the stop words, and the table of counts."""

import re
from collections import Counter

import numpy as np
from scipy import sparse

LISTED = """
about above across after again against all almost alone along already also although always am among an
and another any anyone anything anywhere are around as at away back be became because become becomes
been before behind being below between both but by came can cannot could did do does doing done down
during each either else enough etc even ever every everyone everything everywhere few for found from
further get gets got had has have having he hence her here hers him himself his how however if in indeed
instead into is it its itself just keep kept last least less let lets like likely made make many may
maybe me mean might more moreover most mostly much must my myself neither never nevertheless next no
nobody none nor not nothing now nowhere of off often on once one only onto or other others otherwise our
ours ourselves out over own per perhaps put quite rather really said same say says see seem seemed seems
shall she should since so some somebody someone something somewhere still such take than that the their
theirs them themselves then there therefore these they this those though through throughout thus to
together too toward towards under until up upon us very via was we well were what whatever when where
whether which while who whole whom whose why will with within without would yes yet you your yourself
"""
GERMAN_LISTED = """
aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes auch
auf aus bei beim bereits besonders bin bis bist bzw da dabei dadurch dafür dagegen daher damit
danach dann daran darauf daraus darin darüber darum das dass daß dazu dein deine dem den denen denn
der deren des dessen die dies diese diesem diesen dieser dieses doch dort durch ein eine einem einen
einer eines einige einigen einiger er erst es etwa etwas für gegen gibt hat hatte hatten haben hier
hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer ihres im immer in indem infolge innerhalb
ins insbesondere ist jede jedem jeden jeder jedes jedoch jene jenem jenen jener jenes kann kein
keine keinem keinen keiner können konnte könnte man manche mehr mein meine mit muss müssen musste
nach nachdem neben nicht nichts noch nun nur ob oder ohne schon sehr sein seine seinem seinen seiner
seines seit selbst sich sie sind so sobald soll sollen sollte solche solchem solchen solcher sondern
sonst soweit sowie sowohl über um und uns unser unsere unseren unter vom von vor während war waren
warum was wegen weil weiter weitere weiteren weiterer welche welchem welchen welcher welches wenn
wer werden wie wieder will wir wird wo wobei wodurch wurde wurden würde zu zum zur zwar zwischen
"""
STOP_WORDS, GERMAN = frozenset(LISTED.split()), frozenset(GERMAN_LISTED.split())
LETTERS = re.compile("[a-z][a-z]+")


def tally(text, token=LETTERS):
    """Return {word: count} over the lower-cased text."""
    return Counter(token.findall(text.lower()))


def frequent_words(tallies, least, left_out=STOP_WORDS, by_document=True):
    """Return, sorted, the words in enough documents, or with enough tokens, but for those left out."""
    frequency = Counter()
    for one in tallies:
        frequency.update(one.keys() if by_document else one)
    return sorted(word for word, n in frequency.items() if n >= least and word not in left_out)


def count_table(tallies, columns):
    """Return the int32 CSR matrix, (documents, columns), of tallies; what is no column is left out."""
    number = {one: j for j, one in enumerate(columns)}
    cells = [
        (i, number[one], n) for i, tally in enumerate(tallies) for one, n in tally.items() if one in number
    ]
    rows, positions, values = np.array(cells, np.int32).reshape(-1, 3).T
    return sparse.csr_matrix((values, (rows, positions)), shape=(len(tallies), len(columns)))


def label_table(label_sets, names):
    """Return the bool CSR matrix, (documents, names), of a list of label sets."""
    return count_table([dict.fromkeys(one, 1) for one in label_sets], names).astype(bool)
