# Robertson's chemical reaction: stiff, an explicit method takes small steps all along.
# Königsmarková, report 2014V005, example 3 (18).

yA' = -0.04*yA + 1e4*yB*yC
yB' =  0.04*yA - 1e4*yB*yC - 3e7*yB^2
yC' =                        3e7*yB^2

init yA = 1, yB = 0, yC = 0
output total = yA + yB + yC               # stays 1
run 0 .. 40
