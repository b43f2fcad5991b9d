# Robertson's chemical reaction with the conservation of mass in place of one equation: index 1, very stiff.
# Königsmarková, report 2014V005, example 3 (17).

yA' = -0.04*yA + 1e4*yB*yC
yB' =  0.04*yA - 1e4*yB*yC - 3e7*yB^2
1   = yA + yB + yC

init yA = 1, yB = 0
guess yC = 0
run 0 .. 4e5
