"""Writes daily lists with the columns of the FTC's complaints. The numbers and places are made up.

Like the real files, they have CRLF line ends, subjects with quoted commas, and rows without a number; most numbers occur
once a day. Not for: lists in the text form (lists.py), JSON rows (make_rows.py).
"""

import random

HEADER = (
    "Company_Phone_Number,Created_Date,Violation_Date,Consumer_City,Consumer_State,Consumer_Area_Code,Subject,"
    "Recorded_Message_Or_Robocall\r\n"
)
SUBJECTS = {
    "Other": 39, '"Reducing your debt (credit cards, mortgage, student loans)"': 13, "Dropped call or no message": 12,
    "Medical  & prescriptions": 11, "No Subject Provided": 11,
    '"Calls pretending to be government, businesses, or family and friends"': 9, '"Energy, solar, & utilities"': 1,
    "Home improvement  & cleaning": 1, "Warranties  & protection plans": 1, "Vacation  & timeshares": 1, "Charities": 1,
}
"""The subjects, and how many of a hundred complaints have each."""
AREA_CODES = [202, 212, 281, 310, 402, 405, 502, 561, 602, 615, 646, 713, 719, 800, 877, 888]
WITHOUT_NUMBER = 0.06
"""The share of complaints that name no number."""


def rows(count, day, without_number=WITHOUT_NUMBER):
    """Returns the rows of a day. The same arguments produce the same rows."""
    lot = random.Random(day)
    subjects = lot.choices(list(SUBJECTS), list(SUBJECTS.values()), k=count)
    found = []
    for row, subject in enumerate(subjects):
        area = lot.choice(AREA_CODES)
        number = "" if lot.random() < without_number else f"{area}{2_000_000 + int(lot.random() * 8_000_000)}"
        time = f"{row // 3600 % 24:02d}:{row // 60 % 60:02d}:{row % 60:02d}"
        found.append(f"{number},2026-01-02 {time},2026-01-01 19:13:00,Town {row % 2000},,{area},{subject},Y\r\n")
    return found


def write(file, lines):
    """Writes a list with these rows."""
    with open(file, "w", encoding="utf-8", newline="") as output:
        output.write(HEADER)
        output.writelines(lines)
