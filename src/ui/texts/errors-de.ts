import type { ErrorName } from '../../errors/registry.ts';

/** What a refusal says to people, and what they can do next. */
export interface ErrorText {
  message: string;
  hint: string;
}

export const incorrectSignIn = {
  message: 'Benutzername oder Passwort ist falsch',
  hint: 'Prüfen Sie beides auf Tippfehler; beim Passwort zählt die Groß- und Kleinschreibung.',
};
const tryLater = 'Die Kopfzeile Retry-After nennt die Sekunden bis zum nächsten Versuch.';

/** The refusals in German. One that is not here is shown as the service says it. */
export const errorsDe: Partial<Record<ErrorName, ErrorText>> = {
  PASSWORD_INCORRECT: incorrectSignIn,
  USER_UNKNOWN: incorrectSignIn,
  ACCOUNT_INACTIVE: {
    message: 'Das Konto ist nicht aktiv',
    hint: 'Bitten Sie die Administration, das Konto zu aktivieren.',
  },
  NOT_SIGNED_IN: {
    message: 'Bitte melden Sie sich zuerst an',
    hint: 'Es gibt keine gültige Sitzung; melden Sie sich an und versuchen Sie es erneut.',
  },
  LOGIN_FAILED: {
    message: 'Interner Fehler',
    hint: 'Die Anmeldung ist an einem Fehler des Dienstes gescheitert. Versuchen Sie es gleich noch einmal; bleibt es dabei, melden Sie die Anfrage-ID.',
  },
  TOKEN_INVALID: {
    message: 'Ungültiges oder abgelaufenes API-Token',
    hint: 'Das Token ist unbekannt, widerrufen oder abgelaufen, oder sein Benutzer ist nicht aktiv. Legen Sie ein neues an.',
  },
  USER_CODE_UNKNOWN: {
    message: 'Zu diesem Code gibt es keine Anfrage',
    hint: 'Vergleichen Sie den Code mit dem, den das Programm anzeigt.',
  },
  DEVICE_CODE_UNKNOWN: {
    message: 'Zu diesem Gerätecode gibt es keine Anfrage',
    hint: 'Beginnen Sie die Anmeldung neu.',
  },
  DEVICE_REQUEST_DECIDED: {
    message: 'Über diese Anfrage wurde schon entschieden',
    hint: 'Eine Anfrage wird einmal genehmigt oder abgelehnt; das Feld status sagt, wie.',
  },
  DEVICE_REQUEST_EXPIRED: {
    message: 'Diese Anfrage ist abgelaufen',
    hint: 'Beginnen Sie die Anmeldung neu; ein Code gilt 15 Minuten.',
  },
  SECOND_STEP_CODE_REQUIRED: {
    message: 'Geben Sie den Code ein',
    hint: 'Die sechs Ziffern Ihrer Authenticator-App oder ein Wiederherstellungscode.',
  },
  SECOND_STEP_CODE_MALFORMED: {
    message: 'Der Code hat nicht die richtige Form',
    hint: 'Der Code hat sechs Ziffern; ein Wiederherstellungscode hat zwei Gruppen zu fünf Zeichen.',
  },
  SECOND_STEP_CODE_INCORRECT: {
    message: 'Der Code ist falsch',
    hint: 'Verwenden Sie den neuesten Code; jeder gilt nur einmal. Prüfen Sie, ob die Uhr Ihres Geräts stimmt.',
  },
  FIRST_STEP_REQUIRED: {
    message: 'Bitte melden Sie sich zuerst an',
    hint: 'Beginnen Sie neu auf der Anmeldeseite; für den zweiten Schritt haben Sie zehn Minuten Zeit und fünf Versuche.',
  },
  SECOND_STEP_MISCONFIGURED: {
    message: 'Der zweite Schritt ist nicht richtig eingerichtet',
    hint: 'Bitten Sie die Administration, ihn neu einzurichten.',
  },
  TWO_FACTOR_NOT_ON: {
    message: 'Es ist kein zweiter Faktor eingerichtet',
    hint: 'Richten Sie zuerst eine Authenticator-App ein.',
  },
  SESSION_EXPIRED: { message: 'Die Sitzung ist abgelaufen', hint: 'Melden Sie sich erneut an.' },
  SESSION_INVALID: {
    message: 'Ungültige Sitzung',
    hint: 'session_id muss die UUID einer Sitzung sein oder, mit is_encrypt, der Wert des Cookies session_id.',
  },
  NOT_LOGGED_IN: {
    message: 'Nicht angemeldet',
    hint: 'Es gibt keine Sitzung zu beenden; vielleicht ist sie schon beendet.',
  },
  LOGOUT_FAILED: {
    message: 'Die Abmeldung ist gescheitert',
    hint: 'Sie sind noch angemeldet. Versuchen Sie es gleich noch einmal.',
  },
  TERMINATE_FAILED: {
    message: 'Die Sitzungen konnten nicht beendet werden',
    hint: 'Keine Sitzung wurde beendet. Versuchen Sie es erneut; bleibt es dabei, melden Sie die Anfrage-ID.',
  },
  SWITCH_TARGET_INVALID: {
    message: 'Die Sitzungs-ID hat nicht die richtige Form',
    hint: 'Senden Sie eine session_id aus der Liste unter /authsvc/api/account-sessions.',
  },
  ACCOUNT_NOT_ON_DEVICE: {
    message: 'Dieses Konto ist auf diesem Gerät nicht verfügbar',
    hint: 'Melden Sie sich mit dem Konto auf diesem Gerät an.',
  },
  SESSION_NOT_FOUND: {
    message: 'Diese Sitzung gibt es nicht',
    hint: 'Vielleicht ist sie schon beendet.',
  },
  APP_NOT_ALLOWED: {
    message: 'Sie dürfen diese Anwendung nicht benutzen',
    hint: 'Bitten Sie die Administration um Zugang zu dieser Anwendung.',
  },
  SUPERADMIN_REQUIRED: {
    message: 'Dafür ist die Rolle superadmin nötig',
    hint: 'Melden Sie sich mit einem Konto an, das die Rolle superadmin hat, oder fragen Sie die Administration.',
  },
  CSRF_INVALID: {
    message: 'Das CSRF-Token fehlt oder ist ungültig',
    hint: 'Laden Sie die Seite neu und versuchen Sie es erneut. Programme senden das Token der Anmeldeseite als _csrf.',
  },
  DIAGNOSTICS_LOCKED: {
    message: 'Das Protokoll der Datenbank ist ausgeschaltet',
    hint: 'Setzen Sie dbLogs=true, um das Leeren des Protokolls zu erlauben.',
  },
  CROSS_SITE_REQUEST: {
    message: 'Eine Anfrage von einer fremden Seite wurde abgelehnt',
    hint: 'Anfragen, die etwas ändern, müssen von einer Seite dieses Dienstes kommen.',
  },
  MAIN_SECRET_REQUIRED: {
    message: 'Nicht berechtigt',
    hint: 'Senden Sie das Hauptgeheimnis als ganzen Wert der Kopfzeile Authorization.',
  },
  HTTPS_REQUIRED: {
    message: 'HTTPS ist erforderlich',
    hint: 'Senden Sie die Anfrage an die https-Adresse dieses Dienstes.',
  },
  HOST_NOT_ALLOWED: {
    message: 'Dieser Hostname ist nicht erlaubt',
    hint: 'Mit env=dev antwortet der Dienst nur unter localhost, Loopback-Adressen und dem Host von BASE_URL.',
  },
  TOKEN_READ_ONLY: {
    message: 'Das API-Token darf nur lesen',
    hint: 'Diese Anfrage ändert etwas; dafür ist ein Token mit dem Zugriff write nötig.',
  },
  TOKEN_LIMIT_REACHED: {
    message: 'Mehr API-Tokens sind nicht möglich',
    hint: 'Widerrufen Sie ein Token, das nicht mehr gebraucht wird, und versuchen Sie es dann erneut.',
  },
  TOKEN_APPS_NOT_ALLOWED: {
    message: 'Ein Token kann nicht für Anwendungen gelten, die sein Benutzer nicht benutzen darf',
    hint: 'Nennen Sie in allowed_apps nur Anwendungen, die Sie benutzen dürfen; ohne das Feld gilt das Token für alle davon.',
  },
  MISSING_REQUIRED_FIELD: {
    message: 'Ein erforderliches Feld fehlt',
    hint: 'Senden Sie alle erforderlichen Felder; die Beschreibung der Schnittstelle nennt sie.',
  },
  FIELD_INVALID: {
    message: 'Ein Feld hat einen ungültigen Wert',
    hint: 'Vergleichen Sie Typen und Grenzen mit der Beschreibung der Schnittstelle.',
  },
  BODY_INVALID: {
    message: 'Der Inhalt der Anfrage muss ein JSON-Objekt sein',
    hint: 'Senden Sie ein JSON-Objekt als application/json in UTF-8.',
  },
  BODY_TOO_LARGE: {
    message: 'Der Inhalt der Anfrage ist zu groß',
    hint: 'Der Inhalt darf höchstens 64 KiB groß sein.',
  },
  CONTENT_TYPE_UNSUPPORTED: {
    message: 'Diese Art von Inhalt wird nicht angenommen',
    hint: 'Senden Sie den Inhalt als application/json, ohne ihn zu komprimieren.',
  },
  CREDENTIALS_REQUIRED: {
    message: 'Benutzername und Passwort sind erforderlich',
    hint: 'Füllen Sie beide Felder aus.',
  },
  USERNAME_INVALID: {
    message: 'Der Benutzername hat nicht die richtige Form',
    hint: 'Ein Benutzername hat 1 bis 255 Zeichen und keine Steuerzeichen.',
  },
  PASSWORD_TOO_SHORT: {
    message: 'Das Passwort muss mindestens 8 Zeichen lang sein',
    hint: 'Ein Passwort hat 8 bis 255 Zeichen.',
  },
  PASSWORD_TOO_LONG: {
    message: 'Das Passwort darf höchstens 255 Zeichen lang sein',
    hint: 'Ein Passwort hat 8 bis 255 Zeichen.',
  },
  URL_INVALID: {
    message: 'Die Adresse der Anfrage ist ungültig',
    hint: 'Prüfen Sie ihre Prozentkodierung.',
  },
  PASSWORD_TOO_COMMON: {
    message: 'Das Passwort ist zu leicht zu erraten',
    hint: 'Wählen Sie ein anderes: kein verbreitetes Passwort und nicht den Namen des Benutzers oder der Anwendung.',
  },
  TOKEN_NAME_INVALID: {
    message: 'Ungültiger Name des Tokens',
    hint: 'Ein Name hat 1 bis 255 Zeichen.',
  },
  TOKEN_SCOPE_INVALID: {
    message: 'Ungültiger Zugriff',
    hint: 'scope ist read-only oder write.',
  },
  EXPIRES_DAYS_INVALID: {
    message: 'Ungültige Lebensdauer',
    hint: 'expiresDays ist eine ganze Zahl von 1 bis 3650.',
  },
  ALLOWED_APPS_INVALID: {
    message: 'Ungültige Liste von Anwendungen',
    hint: 'allowed_apps ist eine Liste von höchstens 100 Namen.',
  },
  TOKEN_FORMAT_INVALID: {
    message: 'Das ist kein API-Token',
    hint: 'Ein Token ist tok_, gefolgt von 64 Hexadezimalziffern in Kleinbuchstaben.',
  },
  ID_INVALID: {
    message: 'Ungültige ID',
    hint: 'Eine ID ist eine ganze Zahl größer als 0.',
  },
  CLIENT_NAME_INVALID: {
    message: 'Ungültiger Name des Programms',
    hint: 'clientName hat 1 bis 255 Zeichen.',
  },
  PROFILE_REQUIRED: {
    message: 'Ein Profil ist erforderlich',
    hint: 'Nennen Sie ein Profil mit profileKey.',
  },
  PROFILE_UNKNOWN: {
    message: 'Dieses Profil gibt es nicht',
    hint: 'Prüfen Sie den Schlüssel auf Tippfehler, oder fragen Sie die Administration, ob das Profil abgeschaltet wurde.',
  },
  USER_CODE_INVALID: {
    message: 'Ungültiger Code',
    hint: 'user_code ist der Code, den das Programm anzeigt, etwa BCDF-GHJK.',
  },
  DEVICE_ACTION_INVALID: {
    message: 'Ungültige Aktion',
    hint: 'action ist approve oder deny.',
  },
  DEVICE_CODE_INVALID: {
    message: 'Ungültiger Gerätecode',
    hint: 'device_code sind 48 Hexadezimalziffern in Kleinbuchstaben, wie sie die Antwort auf die Anfrage nannte.',
  },
  REQUEST_MALFORMED: {
    message: 'Die Anfrage ist kein gültiges HTTP',
    hint: 'Senden Sie die Anfrage mit einer HTTP-Bibliothek; HTTP/1.1 verlangt eine einzige Kopfzeile Host, in der ein Host steht.',
  },
  HEADERS_TOO_LARGE: {
    message: 'Die Kopfzeilen der Anfrage sind zu groß',
    hint: 'Adresse und Kopfzeilen dürfen zusammen höchstens 16 KiB groß sein. Löschen Sie im Browser die Cookies dieser Website.',
  },
  REQUEST_TOO_SLOW: {
    message: 'Die Anfrage kam zu langsam an',
    hint: 'Die Kopfzeilen müssen innerhalb von 10 Sekunden ankommen, die ganze Anfrage innerhalb von 30. Versuchen Sie es noch einmal.',
  },
  TOO_MANY_LOGINS: { message: 'Zu viele Versuche, bitte versuchen Sie es später erneut', hint: tryLater },
  TOO_MANY_LOGOUTS: { message: 'Zu viele Abmeldeversuche, bitte versuchen Sie es später erneut', hint: tryLater },
  TOO_MANY_CODES: { message: 'Zu viele Codes, bitte versuchen Sie es später erneut', hint: tryLater },
  TOO_MANY_REQUESTS: { message: 'Zu viele Anfragen, bitte versuchen Sie es später erneut', hint: tryLater },
  INTERNAL_ERROR: {
    message: 'Interner Fehler',
    hint: 'Versuchen Sie es gleich noch einmal; bleibt es dabei, melden Sie die Anfrage-ID.',
  },
  NOT_FOUND: { message: 'An dieser Adresse ist nichts', hint: 'Prüfen Sie die Adresse auf Tippfehler.' },
  METHOD_NOT_ALLOWED: {
    message: 'Diese Methode ist hier nicht erlaubt',
    hint: 'Die Kopfzeile Allow nennt die Methoden dieser Adresse.',
  },
  OVERLOADED: {
    message: 'Der Dienst ist gerade ausgelastet, bitte versuchen Sie es gleich noch einmal',
    hint: tryLater,
  },
  SOCIAL_START_UNKNOWN: {
    message: 'Diese Anmeldung kann in diesem Browser nicht fortgesetzt werden',
    hint: 'Die Anmeldung wurde in einem anderen Browser oder vor mehr als zehn Minuten begonnen, oder sie wurde abgebrochen. Beginnen Sie neu auf der Anmeldeseite.',
  },
  SOCIAL_START_USED: {
    message: 'Diese Anmeldung ist schon abgeschlossen',
    hint: 'Hier ist nichts mehr zu tun: Machen Sie in der Anwendung weiter, oder beginnen Sie neu auf der Anmeldeseite.',
  },
  PROVIDER_OFF: {
    message: 'Die Anmeldung über diesen Anbieter ist ausgeschaltet',
    hint: 'Melden Sie sich mit Benutzername und Passwort oder über einen anderen Anbieter an.',
  },
  PROVIDER_MISCONFIGURED: {
    message: 'Die Anmeldung über diesen Anbieter ist nicht richtig eingerichtet',
    hint: 'Melden Sie sich mit Benutzername und Passwort an und sagen Sie der Administration Bescheid; das Protokoll des Dienstes nennt den Grund.',
  },
  PROVIDER_CANCELLED: {
    message: 'Sie haben die Anmeldung beim Anbieter abgebrochen',
    hint: 'Es hat sich nichts geändert. Sie können neu beginnen oder sich mit Benutzername und Passwort anmelden.',
  },
  PROVIDER_ACCOUNT_NOT_LINKED: {
    message: 'Dieses Anbieterkonto ist hier mit keinem Konto verknüpft',
    hint: 'Melden Sie sich stattdessen mit Benutzername und Passwort an, und bitten Sie die Administration, das Anbieterkonto mit Ihrem Konto zu verknüpfen.',
  },
  PROVIDER_CODE_INVALID: {
    message: 'Die Bestätigung des Anbieters gilt nicht mehr',
    hint: 'Die Bestätigung ist abgelaufen oder wurde schon benutzt. Beginnen Sie neu auf der Anmeldeseite.',
  },
  PROVIDER_PROOF_INVALID: {
    message: 'Der Anbieter hat nicht bewiesen, wer Sie sind',
    hint: 'Die Antwort ließ sich nicht bestätigen, deshalb wurde niemand angemeldet. Beginnen Sie neu; bleibt es dabei, melden Sie die Anfrage-ID.',
  },
  PROVIDER_ANSWER_INVALID: {
    message: 'Der Anbieter gab eine Antwort, die wir nicht verstehen',
    hint: 'Melden Sie sich mit Benutzername und Passwort an oder beginnen Sie später neu; bleibt es dabei, melden Sie die Anfrage-ID.',
  },
  PROVIDER_UNREACHABLE: {
    message: 'Der Anbieter ist zurzeit nicht erreichbar',
    hint: 'Melden Sie sich mit Benutzername und Passwort an oder beginnen Sie in einer Minute neu.',
  },
  CONNECTION_TAKEN: {
    message: 'Das Konto beim Anbieter ist mit einem anderen Benutzer verknüpft',
    hint: 'Entfernen Sie zuerst diese Verknüpfung.',
  },
  CONNECTION_EXISTS: {
    message: 'Der Benutzer ist schon mit einem Konto bei diesem Anbieter verknüpft',
    hint: 'Entfernen Sie zuerst diese Verknüpfung.',
  },
  TOKEN_NOT_FOUND: {
    message: 'Dieses Token gibt es nicht',
    hint: 'Vielleicht wurde es schon widerrufen, oder es gehört jemand anderem.',
  },
  USER_NOT_FOUND: {
    message: 'Diesen Benutzer gibt es nicht',
    hint: 'Prüfen Sie den Namen auf Tippfehler.',
  },
  USERNAME_TAKEN: {
    message: 'Der Benutzername ist vergeben',
    hint: 'Wählen Sie einen anderen; Groß- und Kleinschreibung unterscheidet Namen nicht.',
  },
  PROFILE_NOT_FOUND: {
    message: 'Dieses Profil gibt es nicht',
    hint: 'Prüfen Sie den Schlüssel auf Tippfehler.',
  },
  PROFILE_KEY_TAKEN: {
    message: 'Der Schlüssel des Profils ist vergeben',
    hint: 'Wählen Sie einen anderen oder lassen Sie ihn weg.',
  },
  REF_UNKNOWN: {
    message: 'Es gibt nichts zu entfernen',
    hint: 'Vielleicht ist es schon entfernt.',
  },
};
